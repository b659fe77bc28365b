package androidx.fragment.app;

import android.app.Activity;

/** An activity of androidx. For the compiler only: the app has the class. */
public abstract class FragmentActivity extends Activity {}
