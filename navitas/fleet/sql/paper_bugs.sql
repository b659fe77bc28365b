-- Candidates: clients on which an app's mean rate exceeds its mean on other clients by more than {h} of its standard errors.
WITH own AS (
    SELECT
        client, app, CAST(SUM(pairs) AS DOUBLE) AS pairs, SUM(CAST(rate AS DOUBLE)) AS rate, SUM(CAST(square AS DOUBLE)) AS square
    FROM paper WHERE app IS NOT NULL GROUP BY client, app
),
judged AS (
    SELECT own.*, all_pairs, all_rate, all_square
    FROM own JOIN whole ON own.app = whole.app WHERE pairs > 1 AND all_pairs - pairs > 1
)
SELECT * FROM judged
WHERE rate / pairs - (all_rate - rate) / (all_pairs - pairs)
    > {h} * SQRT(CASE WHEN square > rate * rate / pairs THEN (square - rate * rate / pairs) / (pairs - 1) / pairs ELSE 0 END)
