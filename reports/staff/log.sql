-- A week of questions to the table staff. No answer is about fewer than five people.

-- user: ana
-- time: 2026-11-16 09:12
SELECT dept, count(*) FROM staff GROUP BY dept;

-- time: 2026-11-16 09:15
SELECT sum(salary) FROM staff;

-- user: ben
-- time: 2026-11-17 14:02
SELECT avg(salary), count(*) FROM staff WHERE age >= 40;

-- time: 2026-11-17 14:40
SELECT sum(salary) FROM staff WHERE dept = 'Legal' OR sex = 'M';

-- user: ana
-- time: 2026-11-18 10:31
SELECT sum(salary) FROM staff WHERE sex = 'F' OR dept = 'Legal';

-- user: ben
-- time: 2026-11-20 16:55
SELECT sum(salary) FROM staff WHERE dept = 'Legal' AND sex <> 'F';
