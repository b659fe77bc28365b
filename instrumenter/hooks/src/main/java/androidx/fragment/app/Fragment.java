package androidx.fragment.app;

import android.content.Intent;
import android.os.Bundle;

/** A fragment of androidx. For the compiler only: the app has the class. */
public class Fragment {
    public final FragmentActivity getActivity() {
        return null;
    }

    public void startActivity(Intent intent) {}

    public void startActivity(Intent intent, Bundle options) {}

    public void startActivityForResult(Intent intent, int requestCode) {}

    public void startActivityForResult(Intent intent, int requestCode, Bundle options) {}
}
