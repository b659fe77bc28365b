package androidx.activity.result;

import androidx.activity.result.contract.ActivityResultContract;
import androidx.core.app.ActivityOptionsCompat;

/** Starts an activity for a result. For the compiler only: the app has the class. */
public abstract class ActivityResultLauncher<I> {
    public void launch(I input) {}

    public abstract void launch(I input, ActivityOptionsCompat options);

    public abstract ActivityResultContract<I, ?> getContract();
}
