package androidx.activity.result;

import androidx.activity.result.contract.ActivityResultContract;
import androidx.core.app.ActivityOptionsCompat;

/** As in androidx. */
public abstract class ActivityResultLauncher<I> {
    public abstract void launch(I input);

    public abstract void launch(I input, ActivityOptionsCompat options);

    public abstract ActivityResultContract<I, ?> getContract();
}
