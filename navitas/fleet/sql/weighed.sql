-- Contrasts of the apps in `effect`, with the weight w in place of its classes: each times its reliability.
-- `spread` is the variance of an app's effect among clients.
WITH weighed AS (
    SELECT
        client, contrast.app, pairs, ran_s, drop_ppm, s, noise, effect.beta, effect.spread,
        w0 + w1 * effect.l1 + w2 * effect.l2 + w3 * effect.l3 + w4 * effect.l4 AS w
    FROM contrast JOIN effect ON contrast.app = effect.app
)
