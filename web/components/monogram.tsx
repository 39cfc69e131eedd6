/** A coloured tile with the first letter of a name, for things without an icon. */
import './monogram.css'

/** Each name always gets the same hue. Steps of 30 degrees keep the hues apart. */
export function pickHue(name: string): number {
  let hash = 0
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return (hash % 12) * 30
}

/** The first letter or digit in upper case. Skips the `www.` of a domain. */
export function pickInitial(name: string): string {
  const initial = /[\p{L}\p{N}]/u.exec(name.replace(/^www\./i, ''))?.[0] ?? '?'
  const upperCase = initial.toUpperCase()
  // The upper case of a ligature or ß has two letters, so these stay in lower case.
  return [...upperCase].length === 1 ? upperCase : initial
}

export function Monogram({ name }: { name: string }) {
  return (
    <span class="monogram" aria-hidden="true" style={{ '--hue': `${pickHue(name)}` }}>
      {pickInitial(name)}
    </span>
  )
}
