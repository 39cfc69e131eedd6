/** So much of a secret is shown that its owner knows which one it is. */
const SHOWN = 4
/** Of a shorter one the end would be most of it. */
const LEAST = 8

export function hintOf(secret: string): string {
  const characters = [...secret]
  return characters.length < LEAST ? '' : characters.slice(-SHOWN).join('')
}
