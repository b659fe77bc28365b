-- Histogram of clients' distances from their apps' means, in standard deviations of their noise: {bins} bins per unit.
WITH judged AS (
    SELECT (s - effect.beta * w) / SQRT(noise) AS z FROM contrast JOIN effect ON contrast.app = effect.app WHERE w > 0 AND noise > 0
)
SELECT CAST(FLOOR(z * {bins}) AS INT) AS bin, COUNT(*) AS pairs
FROM judged WHERE ABS(z) < 1000 GROUP BY CAST(FLOOR(z * {bins}) AS INT)
