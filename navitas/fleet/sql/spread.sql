-- Histogram of clients' distances from their apps' means, in standard deviations of their noise: {bins} bins per unit.
, judged AS (SELECT (s - beta * w) / SQRT(noise + spread * w * w) AS z FROM weighed WHERE w >= {least_s} AND noise > 0)
SELECT CAST(FLOOR(z * {bins}) AS INT) AS bin, COUNT(*) AS pairs
FROM judged WHERE ABS(z) < 1000 GROUP BY CAST(FLOOR(z * {bins}) AS INT)
