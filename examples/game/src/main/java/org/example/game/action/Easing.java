package org.example.game.action;

/** How an action proceeds: from 0 at its start to 1 at its end. */
public enum Easing {
  LINEAR {
    @Override
    public float at(float time) {
      return time;
    }
  },
  QUADRATIC {
    @Override
    public float at(float time) {
      return time < 0.5f ? 2f * time * time : 1f - 2f * (1f - time) * (1f - time);
    }
  },
  SINE {
    @Override
    public float at(float time) {
      return 0.5f - 0.5f * (float) Math.cos(Math.PI * time);
    }
  },
  ELASTIC {
    @Override
    public float at(float time) {
      float decay = (1f - time) * (1f - time) * (1f - time);
      return 1f - decay * (float) Math.cos(time * 3.0 * Math.PI);
    }
  },
  BOUNCE {
    @Override
    public float at(float time) {
      if (time < 1f / ARC) {
        return GROWTH * time * time;
      }
      if (time < 2f / ARC) {
        return arc(time, 1.5f, 0.75f);
      }
      return time < 2.5f / ARC ? arc(time, 2.25f, 0.9375f) : arc(time, 2.625f, 0.984375f);
    }

    private float arc(float time, float middle, float height) {
      float distance = time - middle / ARC;
      return GROWTH * distance * distance + height;
    }
  };

  private static final float ARC = 2.75f;
  private static final float GROWTH = ARC * ARC;
  private static final Easing[] ALL = values();

  public abstract float at(float time);

  /** Returns an easing for any number. */
  public static Easing of(int number) {
    return ALL[Math.abs(number % ALL.length)];
  }
}
