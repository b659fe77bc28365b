package androidx.activity.result.contract;

import android.content.Intent;

/** As in androidx. */
public final class ActivityResultContracts {
    /** Passes its intent on. */
    public static final class StartActivityForResult extends ActivityResultContract<Intent, Object> {}
}
