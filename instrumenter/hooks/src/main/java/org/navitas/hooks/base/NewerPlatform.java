package org.navitas.hooks.base;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a class that only code for newer platforms uses, so it may use classes that API 21 lacks. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface NewerPlatform {}
