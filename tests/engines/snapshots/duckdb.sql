-- what auditor sql prints for two texts and a number
SELECT "zip", "job", "site", "cost", "sick", COUNT(*) AS "n" FROM (SELECT CASE WHEN TYPEOF("zip") IN ('FLOAT', 'DOUBLE') THEN CASE WHEN CAST("zip" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN CAST("zip" AS TEXT) = '-0' THEN '0' WHEN CAST("zip" AS TEXT) = '-0.0' THEN '0.0' ELSE CAST("zip" AS TEXT) END ELSE CAST("zip" AS TEXT) END COLLATE "C" AS "zip", CASE WHEN TYPEOF("job") IN ('FLOAT', 'DOUBLE') THEN CASE WHEN CAST("job" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN CAST("job" AS TEXT) = '-0' THEN '0' WHEN CAST("job" AS TEXT) = '-0.0' THEN '0.0' ELSE CAST("job" AS TEXT) END ELSE CAST("job" AS TEXT) END COLLATE "C" AS "job", CASE WHEN TYPEOF("site") IN ('FLOAT', 'DOUBLE') THEN CASE WHEN CAST("site" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN CAST("site" AS TEXT) = '-0' THEN '0' WHEN CAST("site" AS TEXT) = '-0.0' THEN '0.0' ELSE CAST("site" AS TEXT) END ELSE CAST("site" AS TEXT) END COLLATE "C" AS "site", NULLIF(NULLIF(CASE WHEN TYPEOF("cost") IN ('FLOAT', 'DOUBLE') THEN CASE WHEN CAST("cost" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN CAST("cost" AS TEXT) = '-0' THEN '0' WHEN CAST("cost" AS TEXT) = '-0.0' THEN '0.0' ELSE CAST("cost" AS TEXT) END ELSE CAST("cost" AS TEXT) END COLLATE "C", 'NaN'), 'nan') AS "cost", CASE WHEN TYPEOF("sick") IN ('FLOAT', 'DOUBLE') THEN CASE WHEN CAST("sick" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN CAST("sick" AS TEXT) = '-0' THEN '0' WHEN CAST("sick" AS TEXT) = '-0.0' THEN '0.0' ELSE CAST("sick" AS TEXT) END ELSE CAST("sick" AS TEXT) END COLLATE "C" AS "sick" FROM "people") AS grouped_rows GROUP BY "zip", "job", "site", "cost", "sick";

-- class table, one column of every kind
SELECT "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", COUNT(*) AS "n" FROM (SELECT "a plain" AS "c0", "a text" COLLATE "C" AS "c1", "a padded" COLLATE "C" AS "c2", OCTET_LENGTH("a padded") AS "c2_0", "a exact" AS "c3", CAST("a exact" AS TEXT) AS "c3_0", NULLIF("a number", 'NaN') AS "c4", NULLIF(TRIM_SCALE("a trimmed"), 'NaN') AS "c5", CAST("a cast" AS TEXT) COLLATE "C" AS "c6", CASE WHEN TYPEOF("a counted") IN ('FLOAT', 'DOUBLE') THEN CASE WHEN CAST("a counted" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN CAST("a counted" AS TEXT) = '-0' THEN '0' WHEN CAST("a counted" AS TEXT) = '-0.0' THEN '0.0' ELSE CAST("a counted" AS TEXT) END ELSE CAST("a counted" AS TEXT) END COLLATE "C" AS "c7" FROM "clinic"."people") AS grouped_rows GROUP BY "c0", "c1", "c2", "c2_0", "c3", "c3_0", "c4", "c5", "c6", "c7";

-- the values of one column
SELECT "c0", COUNT(*) AS "n" FROM (SELECT "zip" COLLATE "C" AS "c0" FROM "clinic"."people") AS grouped_rows GROUP BY "c0";

-- how many records
SELECT COUNT(*) AS "n" FROM "clinic"."people";

-- every row
SELECT "a plain" AS "c0", "a text" AS "c1", "a padded" AS "c2", "a exact" AS "c3", NULLIF("a number", 'NaN') AS "c4", NULLIF(TRIM_SCALE("a trimmed"), 'NaN') AS "c5", CAST("a cast" AS TEXT) AS "c6", CASE WHEN TYPEOF("a counted") IN ('FLOAT', 'DOUBLE') THEN CASE WHEN CAST("a counted" AS TEXT) IN ('NaN', 'nan') THEN NULL WHEN CAST("a counted" AS TEXT) = '-0' THEN '0' WHEN CAST("a counted" AS TEXT) = '-0.0' THEN '0.0' ELSE CAST("a counted" AS TEXT) END ELSE CAST("a counted" AS TEXT) END AS "c7" FROM "clinic"."people";

-- no row, with its types
SELECT * FROM "clinic"."people" LIMIT 0;

-- of a query
SELECT "zip", COUNT(*) AS "n" FROM (SELECT "zip" COLLATE "C" AS "zip" FROM (
SELECT zip FROM people -- all
) AS source_rows) AS grouped_rows GROUP BY "zip";

-- names that could break out
SELECT "a""b", "a`b", "a'b", "a]b", "SELECT", "order", "Größe", "n; DROP TABLE people; --", "x -- y", "/* z */", "${w}", COUNT(*) AS "n""`" FROM (SELECT "a""b" COLLATE "C" AS "a""b", "a`b" COLLATE "C" AS "a`b", "a'b" COLLATE "C" AS "a'b", "a]b" COLLATE "C" AS "a]b", "SELECT" COLLATE "C" AS "SELECT", "order" COLLATE "C" AS "order", "Größe" COLLATE "C" AS "Größe", "n; DROP TABLE people; --" COLLATE "C" AS "n; DROP TABLE people; --", "x -- y" COLLATE "C" AS "x -- y", "/* z */" COLLATE "C" AS "/* z */", "${w}" COLLATE "C" AS "${w}" FROM "a""b"."c`d") AS grouped_rows GROUP BY "a""b", "a`b", "a'b", "a]b", "SELECT", "order", "Größe", "n; DROP TABLE people; --", "x -- y", "/* z */", "${w}";

