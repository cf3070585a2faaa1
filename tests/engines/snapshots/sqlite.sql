-- what auditor sql prints for two texts and a number
SELECT "zip", "job", "site", "cost", "sick", COUNT(*) AS "n" FROM (SELECT CASE WHEN TYPEOF("zip") = 'real' THEN CASE WHEN CAST("zip" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN ABS("zip") < 9e18 AND CAST("zip" AS INTEGER) = "zip" THEN CAST(CAST("zip" AS INTEGER) AS TEXT) WHEN CAST(CAST("zip" AS TEXT) AS REAL) = "zip" THEN CAST("zip" AS TEXT) ELSE PRINTF('%!.20g', "zip") END ELSE CAST("zip" AS TEXT) END COLLATE BINARY AS "zip", CASE WHEN TYPEOF("job") = 'real' THEN CASE WHEN CAST("job" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN ABS("job") < 9e18 AND CAST("job" AS INTEGER) = "job" THEN CAST(CAST("job" AS INTEGER) AS TEXT) WHEN CAST(CAST("job" AS TEXT) AS REAL) = "job" THEN CAST("job" AS TEXT) ELSE PRINTF('%!.20g', "job") END ELSE CAST("job" AS TEXT) END COLLATE BINARY AS "job", CASE WHEN TYPEOF("site") = 'real' THEN CASE WHEN CAST("site" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN ABS("site") < 9e18 AND CAST("site" AS INTEGER) = "site" THEN CAST(CAST("site" AS INTEGER) AS TEXT) WHEN CAST(CAST("site" AS TEXT) AS REAL) = "site" THEN CAST("site" AS TEXT) ELSE PRINTF('%!.20g', "site") END ELSE CAST("site" AS TEXT) END COLLATE BINARY AS "site", NULLIF(NULLIF(CASE WHEN TYPEOF("cost") = 'real' THEN CASE WHEN CAST("cost" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN ABS("cost") < 9e18 AND CAST("cost" AS INTEGER) = "cost" THEN CAST(CAST("cost" AS INTEGER) AS TEXT) WHEN CAST(CAST("cost" AS TEXT) AS REAL) = "cost" THEN CAST("cost" AS TEXT) ELSE PRINTF('%!.20g', "cost") END ELSE CAST("cost" AS TEXT) END COLLATE BINARY, 'NaN'), 'nan') AS "cost", CASE WHEN TYPEOF("sick") = 'real' THEN CASE WHEN CAST("sick" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN ABS("sick") < 9e18 AND CAST("sick" AS INTEGER) = "sick" THEN CAST(CAST("sick" AS INTEGER) AS TEXT) WHEN CAST(CAST("sick" AS TEXT) AS REAL) = "sick" THEN CAST("sick" AS TEXT) ELSE PRINTF('%!.20g', "sick") END ELSE CAST("sick" AS TEXT) END COLLATE BINARY AS "sick" FROM "people") AS grouped_rows GROUP BY "zip", "job", "site", "cost", "sick";

-- class table, one column of every kind
SELECT "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", COUNT(*) AS "n" FROM (SELECT "a plain" AS "c0", "a text" COLLATE BINARY AS "c1", "a padded" COLLATE BINARY AS "c2", OCTET_LENGTH("a padded") AS "c2_0", "a exact" AS "c3", CAST("a exact" AS TEXT) AS "c3_0", NULLIF("a number", 'NaN') AS "c4", NULLIF(TRIM_SCALE("a trimmed"), 'NaN') AS "c5", CAST("a cast" AS TEXT) COLLATE BINARY AS "c6", CASE WHEN TYPEOF("a counted") = 'real' THEN CASE WHEN CAST("a counted" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN ABS("a counted") < 9e18 AND CAST("a counted" AS INTEGER) = "a counted" THEN CAST(CAST("a counted" AS INTEGER) AS TEXT) WHEN CAST(CAST("a counted" AS TEXT) AS REAL) = "a counted" THEN CAST("a counted" AS TEXT) ELSE PRINTF('%!.20g', "a counted") END ELSE CAST("a counted" AS TEXT) END COLLATE BINARY AS "c7" FROM "clinic"."people") AS grouped_rows GROUP BY "c0", "c1", "c2", "c2_0", "c3", "c3_0", "c4", "c5", "c6", "c7";

-- the values of one column
SELECT "c0", COUNT(*) AS "n" FROM (SELECT "zip" COLLATE BINARY AS "c0" FROM "clinic"."people") AS grouped_rows GROUP BY "c0";

-- how many records
SELECT COUNT(*) AS "n" FROM "clinic"."people";

-- every row
SELECT "a plain" AS "c0", "a text" AS "c1", "a padded" AS "c2", "a exact" AS "c3", NULLIF("a number", 'NaN') AS "c4", NULLIF(TRIM_SCALE("a trimmed"), 'NaN') AS "c5", CAST("a cast" AS TEXT) AS "c6", CASE WHEN TYPEOF("a counted") = 'real' THEN CASE WHEN CAST("a counted" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN ABS("a counted") < 9e18 AND CAST("a counted" AS INTEGER) = "a counted" THEN CAST(CAST("a counted" AS INTEGER) AS TEXT) WHEN CAST(CAST("a counted" AS TEXT) AS REAL) = "a counted" THEN CAST("a counted" AS TEXT) ELSE PRINTF('%!.20g', "a counted") END ELSE CAST("a counted" AS TEXT) END AS "c7" FROM "clinic"."people";

-- no row, with its types
SELECT * FROM "clinic"."people" LIMIT 0;

-- of a query
SELECT "zip", COUNT(*) AS "n" FROM (SELECT "zip" COLLATE BINARY AS "zip" FROM (
SELECT zip FROM people -- all
) AS source_rows) AS grouped_rows GROUP BY "zip";

-- names that could break out
SELECT "a""b", "a`b", "a'b", "a]b", "SELECT", "order", "Größe", "n; DROP TABLE people; --", "x -- y", "/* z */", "${w}", COUNT(*) AS "n""`" FROM (SELECT "a""b" COLLATE BINARY AS "a""b", "a`b" COLLATE BINARY AS "a`b", "a'b" COLLATE BINARY AS "a'b", "a]b" COLLATE BINARY AS "a]b", "SELECT" COLLATE BINARY AS "SELECT", "order" COLLATE BINARY AS "order", "Größe" COLLATE BINARY AS "Größe", "n; DROP TABLE people; --" COLLATE BINARY AS "n; DROP TABLE people; --", "x -- y" COLLATE BINARY AS "x -- y", "/* z */" COLLATE BINARY AS "/* z */", "${w}" COLLATE BINARY AS "${w}" FROM "a""b"."c`d") AS grouped_rows GROUP BY "a""b", "a`b", "a'b", "a]b", "SELECT", "order", "Größe", "n; DROP TABLE people; --", "x -- y", "/* z */", "${w}";

