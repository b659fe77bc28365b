package org.navitas.runtime;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a class that is never loaded on Android, so it may use what API 21 lacks. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
@interface JvmOnly {}
