-- what auditor sql prints for two texts and a number
SELECT `zip`, `job`, `site`, `cost`, `sick`, COUNT(*) AS `n` FROM (SELECT CASE WHEN TYPEOF(`zip`) IN ('float', 'double') THEN CASE WHEN CAST(`zip` AS STRING) IN ('NaN', 'nan') THEN NULL WHEN CAST(`zip` AS STRING) = '-0' THEN '0' WHEN CAST(`zip` AS STRING) = '-0.0' THEN '0.0' ELSE CAST(`zip` AS STRING) END ELSE CAST(`zip` AS STRING) END COLLATE UTF8_BINARY AS `zip`, CASE WHEN TYPEOF(`job`) IN ('float', 'double') THEN CASE WHEN CAST(`job` AS STRING) IN ('NaN', 'nan') THEN NULL WHEN CAST(`job` AS STRING) = '-0' THEN '0' WHEN CAST(`job` AS STRING) = '-0.0' THEN '0.0' ELSE CAST(`job` AS STRING) END ELSE CAST(`job` AS STRING) END COLLATE UTF8_BINARY AS `job`, CASE WHEN TYPEOF(`site`) IN ('float', 'double') THEN CASE WHEN CAST(`site` AS STRING) IN ('NaN', 'nan') THEN NULL WHEN CAST(`site` AS STRING) = '-0' THEN '0' WHEN CAST(`site` AS STRING) = '-0.0' THEN '0.0' ELSE CAST(`site` AS STRING) END ELSE CAST(`site` AS STRING) END COLLATE UTF8_BINARY AS `site`, NULLIF(NULLIF(CASE WHEN TYPEOF(`cost`) IN ('float', 'double') THEN CASE WHEN CAST(`cost` AS STRING) IN ('NaN', 'nan') THEN NULL WHEN CAST(`cost` AS STRING) = '-0' THEN '0' WHEN CAST(`cost` AS STRING) = '-0.0' THEN '0.0' ELSE CAST(`cost` AS STRING) END ELSE CAST(`cost` AS STRING) END COLLATE UTF8_BINARY, 'NaN'), 'nan') AS `cost`, CASE WHEN TYPEOF(`sick`) IN ('float', 'double') THEN CASE WHEN CAST(`sick` AS STRING) IN ('NaN', 'nan') THEN NULL WHEN CAST(`sick` AS STRING) = '-0' THEN '0' WHEN CAST(`sick` AS STRING) = '-0.0' THEN '0.0' ELSE CAST(`sick` AS STRING) END ELSE CAST(`sick` AS STRING) END COLLATE UTF8_BINARY AS `sick` FROM `people`) AS grouped_rows GROUP BY `zip`, `job`, `site`, `cost`, `sick`;

-- class table, one column of every kind
SELECT `c0`, `c1`, `c2`, `c3`, `c4`, `c5`, `c6`, `c7`, COUNT(*) AS `n` FROM (SELECT `a plain` AS `c0`, `a text` COLLATE UTF8_BINARY AS `c1`, `a padded` COLLATE UTF8_BINARY AS `c2`, OCTET_LENGTH(`a padded`) AS `c2_0`, `a exact` AS `c3`, CAST(`a exact` AS STRING) AS `c3_0`, NULLIF(`a number`, 'NaN') AS `c4`, NULLIF(TRIM_SCALE(`a trimmed`), 'NaN') AS `c5`, CAST(`a cast` AS STRING) COLLATE UTF8_BINARY AS `c6`, CASE WHEN TYPEOF(`a counted`) IN ('float', 'double') THEN CASE WHEN CAST(`a counted` AS STRING) IN ('NaN', 'nan') THEN NULL WHEN CAST(`a counted` AS STRING) = '-0' THEN '0' WHEN CAST(`a counted` AS STRING) = '-0.0' THEN '0.0' ELSE CAST(`a counted` AS STRING) END ELSE CAST(`a counted` AS STRING) END COLLATE UTF8_BINARY AS `c7` FROM `clinic`.`people`) AS grouped_rows GROUP BY `c0`, `c1`, `c2`, `c2_0`, `c3`, `c3_0`, `c4`, `c5`, `c6`, `c7`;

-- the values of one column
SELECT `c0`, COUNT(*) AS `n` FROM (SELECT `zip` COLLATE UTF8_BINARY AS `c0` FROM `clinic`.`people`) AS grouped_rows GROUP BY `c0`;

-- how many records
SELECT COUNT(*) AS `n` FROM `clinic`.`people`;

-- every row
SELECT `a plain` AS `c0`, `a text` AS `c1`, `a padded` AS `c2`, `a exact` AS `c3`, NULLIF(`a number`, 'NaN') AS `c4`, NULLIF(TRIM_SCALE(`a trimmed`), 'NaN') AS `c5`, CAST(`a cast` AS STRING) AS `c6`, CASE WHEN TYPEOF(`a counted`) IN ('float', 'double') THEN CASE WHEN CAST(`a counted` AS STRING) IN ('NaN', 'nan') THEN NULL WHEN CAST(`a counted` AS STRING) = '-0' THEN '0' WHEN CAST(`a counted` AS STRING) = '-0.0' THEN '0.0' ELSE CAST(`a counted` AS STRING) END ELSE CAST(`a counted` AS STRING) END AS `c7` FROM `clinic`.`people`;

-- no row, with its types
SELECT * FROM `clinic`.`people` LIMIT 0;

-- of a query
SELECT `zip`, COUNT(*) AS `n` FROM (SELECT `zip` COLLATE UTF8_BINARY AS `zip` FROM (
SELECT zip FROM people -- all
) AS source_rows) AS grouped_rows GROUP BY `zip`;

-- names that could break out
SELECT `a"b`, `a``b`, `a'b`, `a]b`, `SELECT`, `order`, `Größe`, `n; DROP TABLE people; --`, `x -- y`, `/* z */`, `${w}`, COUNT(*) AS `n"``` FROM (SELECT `a"b` COLLATE UTF8_BINARY AS `a"b`, `a``b` COLLATE UTF8_BINARY AS `a``b`, `a'b` COLLATE UTF8_BINARY AS `a'b`, `a]b` COLLATE UTF8_BINARY AS `a]b`, `SELECT` COLLATE UTF8_BINARY AS `SELECT`, `order` COLLATE UTF8_BINARY AS `order`, `Größe` COLLATE UTF8_BINARY AS `Größe`, `n; DROP TABLE people; --` COLLATE UTF8_BINARY AS `n; DROP TABLE people; --`, `x -- y` COLLATE UTF8_BINARY AS `x -- y`, `/* z */` COLLATE UTF8_BINARY AS `/* z */`, `${w}` COLLATE UTF8_BINARY AS `${w}` FROM `a"b`.`c``d`) AS grouped_rows GROUP BY `a"b`, `a``b`, `a'b`, `a]b`, `SELECT`, `order`, `Größe`, `n; DROP TABLE people; --`, `x -- y`, `/* z */`, `${w}`;

