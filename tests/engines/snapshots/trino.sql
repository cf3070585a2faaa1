-- what auditor sql prints for two texts and a number
SELECT "zip", "job", "site", "cost", "sick", COUNT(*) AS "n" FROM (SELECT CASE WHEN TYPEOF("zip") IN ('real', 'double') THEN CASE WHEN CAST("zip" AS VARCHAR) IN ('NaN', 'nan') THEN NULL WHEN CAST("zip" AS VARCHAR) = '-0' THEN '0' WHEN CAST("zip" AS VARCHAR) = '-0.0' THEN '0.0' ELSE CAST("zip" AS VARCHAR) END ELSE CAST("zip" AS VARCHAR) END AS "zip", CASE WHEN TYPEOF("job") IN ('real', 'double') THEN CASE WHEN CAST("job" AS VARCHAR) IN ('NaN', 'nan') THEN NULL WHEN CAST("job" AS VARCHAR) = '-0' THEN '0' WHEN CAST("job" AS VARCHAR) = '-0.0' THEN '0.0' ELSE CAST("job" AS VARCHAR) END ELSE CAST("job" AS VARCHAR) END AS "job", CASE WHEN TYPEOF("site") IN ('real', 'double') THEN CASE WHEN CAST("site" AS VARCHAR) IN ('NaN', 'nan') THEN NULL WHEN CAST("site" AS VARCHAR) = '-0' THEN '0' WHEN CAST("site" AS VARCHAR) = '-0.0' THEN '0.0' ELSE CAST("site" AS VARCHAR) END ELSE CAST("site" AS VARCHAR) END AS "site", NULLIF(NULLIF(CASE WHEN TYPEOF("cost") IN ('real', 'double') THEN CASE WHEN CAST("cost" AS VARCHAR) IN ('NaN', 'nan') THEN NULL WHEN CAST("cost" AS VARCHAR) = '-0' THEN '0' WHEN CAST("cost" AS VARCHAR) = '-0.0' THEN '0.0' ELSE CAST("cost" AS VARCHAR) END ELSE CAST("cost" AS VARCHAR) END, 'NaN'), 'nan') AS "cost", CASE WHEN TYPEOF("sick") IN ('real', 'double') THEN CASE WHEN CAST("sick" AS VARCHAR) IN ('NaN', 'nan') THEN NULL WHEN CAST("sick" AS VARCHAR) = '-0' THEN '0' WHEN CAST("sick" AS VARCHAR) = '-0.0' THEN '0.0' ELSE CAST("sick" AS VARCHAR) END ELSE CAST("sick" AS VARCHAR) END AS "sick" FROM "people") AS grouped_rows GROUP BY "zip", "job", "site", "cost", "sick";

-- class table, one column of every kind
SELECT "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", COUNT(*) AS "n" FROM (SELECT "a plain" AS "c0", "a text" AS "c1", "a padded" AS "c2", OCTET_LENGTH("a padded") AS "c2_0", "a exact" AS "c3", CAST("a exact" AS VARCHAR) AS "c3_0", NULLIF("a number", 'NaN') AS "c4", NULLIF(TRIM_SCALE("a trimmed"), 'NaN') AS "c5", CAST("a cast" AS VARCHAR) AS "c6", CASE WHEN TYPEOF("a counted") IN ('real', 'double') THEN CASE WHEN CAST("a counted" AS VARCHAR) IN ('NaN', 'nan') THEN NULL WHEN CAST("a counted" AS VARCHAR) = '-0' THEN '0' WHEN CAST("a counted" AS VARCHAR) = '-0.0' THEN '0.0' ELSE CAST("a counted" AS VARCHAR) END ELSE CAST("a counted" AS VARCHAR) END AS "c7" FROM "clinic"."people") AS grouped_rows GROUP BY "c0", "c1", "c2", "c2_0", "c3", "c3_0", "c4", "c5", "c6", "c7";

-- the values of one column
SELECT "c0", COUNT(*) AS "n" FROM (SELECT "zip" AS "c0" FROM "clinic"."people") AS grouped_rows GROUP BY "c0";

-- how many records
SELECT COUNT(*) AS "n" FROM "clinic"."people";

-- every row
SELECT "a plain" AS "c0", "a text" AS "c1", "a padded" AS "c2", "a exact" AS "c3", NULLIF("a number", 'NaN') AS "c4", NULLIF(TRIM_SCALE("a trimmed"), 'NaN') AS "c5", CAST("a cast" AS VARCHAR) AS "c6", CASE WHEN TYPEOF("a counted") IN ('real', 'double') THEN CASE WHEN CAST("a counted" AS VARCHAR) IN ('NaN', 'nan') THEN NULL WHEN CAST("a counted" AS VARCHAR) = '-0' THEN '0' WHEN CAST("a counted" AS VARCHAR) = '-0.0' THEN '0.0' ELSE CAST("a counted" AS VARCHAR) END ELSE CAST("a counted" AS VARCHAR) END AS "c7" FROM "clinic"."people";

-- no row, with its types
SELECT * FROM "clinic"."people" LIMIT 0;

-- of a query
SELECT "zip", COUNT(*) AS "n" FROM (SELECT "zip" AS "zip" FROM (
SELECT zip FROM people -- all
) AS source_rows) AS grouped_rows GROUP BY "zip";

-- names that could break out
SELECT "a""b", "a`b", "a'b", "a]b", "SELECT", "order", "Größe", "n; DROP TABLE people; --", "x -- y", "/* z */", "${w}", COUNT(*) AS "n""`" FROM (SELECT "a""b" AS "a""b", "a`b" AS "a`b", "a'b" AS "a'b", "a]b" AS "a]b", "SELECT" AS "SELECT", "order" AS "order", "Größe" AS "Größe", "n; DROP TABLE people; --" AS "n; DROP TABLE people; --", "x -- y" AS "x -- y", "/* z */" AS "/* z */", "${w}" AS "${w}" FROM "a""b"."c`d") AS grouped_rows GROUP BY "a""b", "a`b", "a'b", "a]b", "SELECT", "order", "Größe", "n; DROP TABLE people; --", "x -- y", "/* z */", "${w}";

