-- what auditor sql prints for two texts and a number
SELECT `zip`, `job`, `site`, `cost`, `sick`, COUNT(*) AS `n` FROM (SELECT COLLATE(CAST(`zip` AS STRING), '') AS `zip`, COLLATE(CAST(`job` AS STRING), '') AS `job`, COLLATE(CAST(`site` AS STRING), '') AS `site`, NULLIF(NULLIF(COLLATE(CAST(`cost` AS STRING), ''), 'NaN'), 'nan') AS `cost`, COLLATE(CAST(`sick` AS STRING), '') AS `sick` FROM `people`) AS grouped_rows GROUP BY `zip`, `job`, `site`, `cost`, `sick`;

-- class table, one column of every kind
SELECT `c0`, `c1`, `c2`, `c3`, `c4`, COUNT(*) AS `n` FROM (SELECT `a plain` AS `c0`, COLLATE(`a text`, '') AS `c1`, COLLATE(`a padded`, '') AS `c2`, OCTET_LENGTH(`a padded`) AS `c2_0`, `a exact` AS `c3`, CAST(`a exact` AS STRING) AS `c3_0`, COLLATE(CAST(`a cast` AS STRING), '') AS `c4` FROM `clinic`.`people`) AS grouped_rows GROUP BY `c0`, `c1`, `c2`, `c2_0`, `c3`, `c3_0`, `c4`;

-- the values of one column
SELECT `c0`, COUNT(*) AS `n` FROM (SELECT COLLATE(`zip`, '') AS `c0` FROM `clinic`.`people`) AS grouped_rows GROUP BY `c0`;

-- how many records
SELECT COUNT(*) AS `n` FROM `clinic`.`people`;

-- every row
SELECT `a plain` AS `c0`, `a text` AS `c1`, `a padded` AS `c2`, `a exact` AS `c3`, CAST(`a cast` AS STRING) AS `c4` FROM `clinic`.`people`;

-- no row, with its types
SELECT * FROM `clinic`.`people` LIMIT 0;

-- of a query
SELECT `zip`, COUNT(*) AS `n` FROM (SELECT COLLATE(`zip`, '') AS `zip` FROM (
SELECT zip FROM people -- all
) AS source_rows) AS grouped_rows GROUP BY `zip`;

-- names that could break out
SELECT `a"b`, `a\`b`, `a'b`, `a]b`, `SELECT`, `order`, `Größe`, `n; DROP TABLE people; --`, `x -- y`, `/* z */`, `${w}`, COUNT(*) AS `n"\`` FROM (SELECT COLLATE(`a"b`, '') AS `a"b`, COLLATE(`a\`b`, '') AS `a\`b`, COLLATE(`a'b`, '') AS `a'b`, COLLATE(`a]b`, '') AS `a]b`, COLLATE(`SELECT`, '') AS `SELECT`, COLLATE(`order`, '') AS `order`, COLLATE(`Größe`, '') AS `Größe`, COLLATE(`n; DROP TABLE people; --`, '') AS `n; DROP TABLE people; --`, COLLATE(`x -- y`, '') AS `x -- y`, COLLATE(`/* z */`, '') AS `/* z */`, COLLATE(`${w}`, '') AS `${w}` FROM `a"b`.`c\`d`) AS grouped_rows GROUP BY `a"b`, `a\`b`, `a'b`, `a]b`, `SELECT`, `order`, `Größe`, `n; DROP TABLE people; --`, `x -- y`, `/* z */`, `${w}`;

