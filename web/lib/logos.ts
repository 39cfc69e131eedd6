/**
 * Reads the entries of the tables of logos. Logos that start with `logos:` have several colors. Logos that start with `simple:` have
 * one: the color after `#`, or else the color of the text, so that a black logo stays visible on a dark background.
 */

/** Parses an entry such as `logos:chrome` or `simple:ecosia#2f9e6e`. */
export function parseLogo(entry: string): { set: string; name: string; color: string | undefined } {
  const [, set = '', name = '', color] = /^(\w+):([\w-]+)(#\w+)?$/.exec(entry) ?? []
  return { set, name, color }
}

/** An SVG file in the folder of icons. A monochrome file is black. */
export interface IconFile {
  path: string
  isMonochrome: boolean
}

export function toLogoFile(entry: string): IconFile {
  const { set, name, color } = parseLogo(entry)
  return { path: `logos/${name}.svg`, isMonochrome: set === 'simple' && color === undefined }
}
