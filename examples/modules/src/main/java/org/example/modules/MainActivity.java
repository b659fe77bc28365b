package org.example.modules;

import android.app.Activity;
import android.os.Bundle;
import android.view.KeyEvent;

/** The screen that the launcher shows. All screens have the same menu. */
public class MainActivity extends Activity {
    private Menu menu;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        menu = new Menu(this);
        menu.show();
    }

    @Override
    public boolean onKeyDown(int key, KeyEvent event) {
        return menu.press(key) || super.onKeyDown(key, event);
    }

    @Override
    protected void onDestroy() {
        menu.close();
        super.onDestroy();
    }
}
