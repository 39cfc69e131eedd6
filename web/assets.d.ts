declare module '*.css'
/** The folder of flags and logos, relative to the root of the application. web/build/icon-files.ts defines it. */
declare const __ICON_FOLDER__: string

declare module 'punycode/punycode.es6.js' {
  /** Decodes the part after `xn--`. Throws if it isn't valid. */
  export function decode(text: string): string
}
