-- How far clients lie from their apps' means, in standard deviations of their own noise: counts of bins, {bins} to one.
WITH judged AS (
    SELECT (s - effect.beta * w) / SQRT(noise) AS z FROM contrast JOIN effect ON contrast.app = effect.app WHERE w > 0 AND noise > 0
)
SELECT CAST(FLOOR(z * {bins}) AS INT) AS bin, COUNT(*) AS pairs
FROM judged WHERE ABS(z) < 1000 GROUP BY CAST(FLOOR(z * {bins}) AS INT)
