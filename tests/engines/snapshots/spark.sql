-- what auditor sql prints for two texts and a number
SELECT `zip`, `job`, `site`, `cost`, `sick`, COUNT(*) AS `n` FROM (SELECT CAST(`zip` AS STRING) COLLATE UTF8_BINARY AS `zip`, CAST(`job` AS STRING) COLLATE UTF8_BINARY AS `job`, CAST(`site` AS STRING) COLLATE UTF8_BINARY AS `site`, NULLIF(NULLIF(CAST(`cost` AS STRING) COLLATE UTF8_BINARY, 'NaN'), 'nan') AS `cost`, CAST(`sick` AS STRING) COLLATE UTF8_BINARY AS `sick` FROM `people`) AS grouped_rows GROUP BY `zip`, `job`, `site`, `cost`, `sick`;

-- class table, one column of every kind
SELECT `c0`, `c1`, `c2`, `c3`, `c4`, COUNT(*) AS `n` FROM (SELECT `a plain` AS `c0`, `a text` COLLATE UTF8_BINARY AS `c1`, `a padded` COLLATE UTF8_BINARY AS `c2`, OCTET_LENGTH(`a padded`) AS `c2_0`, `a exact` AS `c3`, CAST(`a exact` AS STRING) AS `c3_0`, CAST(`a cast` AS STRING) COLLATE UTF8_BINARY AS `c4` FROM `clinic`.`people`) AS grouped_rows GROUP BY `c0`, `c1`, `c2`, `c2_0`, `c3`, `c3_0`, `c4`;

-- the values of one column
SELECT `c0`, COUNT(*) AS `n` FROM (SELECT `zip` COLLATE UTF8_BINARY AS `c0` FROM `clinic`.`people`) AS grouped_rows GROUP BY `c0`;

-- how many records
SELECT COUNT(*) AS `n` FROM `clinic`.`people`;

-- every row
SELECT `a plain` AS `c0`, `a text` AS `c1`, `a padded` AS `c2`, `a exact` AS `c3`, CAST(`a cast` AS STRING) AS `c4` FROM `clinic`.`people`;

-- no row, with its types
SELECT * FROM `clinic`.`people` LIMIT 0;

-- of a query
SELECT `zip`, COUNT(*) AS `n` FROM (SELECT `zip` COLLATE UTF8_BINARY AS `zip` FROM (
SELECT zip FROM people -- all
) AS source_rows) AS grouped_rows GROUP BY `zip`;

-- names that could break out
SELECT `a"b`, `a``b`, `a'b`, `a]b`, `SELECT`, `order`, `Größe`, `n; DROP TABLE people; --`, `x -- y`, `/* z */`, `${w}`, COUNT(*) AS `n"``` FROM (SELECT `a"b` COLLATE UTF8_BINARY AS `a"b`, `a``b` COLLATE UTF8_BINARY AS `a``b`, `a'b` COLLATE UTF8_BINARY AS `a'b`, `a]b` COLLATE UTF8_BINARY AS `a]b`, `SELECT` COLLATE UTF8_BINARY AS `SELECT`, `order` COLLATE UTF8_BINARY AS `order`, `Größe` COLLATE UTF8_BINARY AS `Größe`, `n; DROP TABLE people; --` COLLATE UTF8_BINARY AS `n; DROP TABLE people; --`, `x -- y` COLLATE UTF8_BINARY AS `x -- y`, `/* z */` COLLATE UTF8_BINARY AS `/* z */`, `${w}` COLLATE UTF8_BINARY AS `${w}` FROM `a"b`.`c``d`) AS grouped_rows GROUP BY `a"b`, `a``b`, `a'b`, `a]b`, `SELECT`, `order`, `Größe`, `n; DROP TABLE people; --`, `x -- y`, `/* z */`, `${w}`;

