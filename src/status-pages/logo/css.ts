/**
 * Rebuilds the CSS of an SVG file, so that `svg-references.ts` finds the same references to parts of the file as a
 * browser. A browser splits some CSS differently from this module, for example quoted text. What this module writes for
 * such CSS has no effect in a browser.
 */

/** CSS functions for colors and transformations. */
const allowedFunctions = new Set([
  ...['rgb', 'rgba', 'hsl', 'hsla', 'matrix', 'translate', 'translatex', 'translatey', 'scale', 'scalex', 'scaley'],
  ...['rotate', 'skewx', 'skewy'],
])

const propertyPattern = /^[a-z][a-z-]*$/
const idPattern = /^[\p{L}\p{N}_.-]+$/u
const selectorPattern = /^[\p{L}\p{N}_\-.#,>*:() \n\t]+$/u
/** Matches no colon and no backslash, so a matching text contains neither URLs with a scheme nor escaped names. */
const valuePattern = /^[\p{L}\p{N}_\s#.,%()+\-'"!/]*$/u
const localUrlPattern = /url\(\s*(["']?)#([\p{L}\p{N}_.-]+)\1\s*\)/gu

export const isValidId = (text: string) => idPattern.test(text)

/** Whether an attribute or a property may have the value. `url()` can only refer to an element of the same file. */
export function isHarmlessValue(value: string): boolean {
  const rest = value.replace(localUrlPattern, '')
  if (!valuePattern.test(rest)) return false
  const textsBeforeParentheses = rest.split('(').slice(0, -1)
  return textsBeforeParentheses.every((text) => allowedFunctions.has(findLastName(text.trimEnd()).toLowerCase()))
}

/** This is a loop, because a regular expression would take quadratic time for long names. */
function findLastName(text: string): string {
  let start = text.length
  while (start > 0 && /[\p{L}\p{N}_-]/u.test(text[start - 1] as string)) start--
  return text.slice(start)
}

/** The ids of the elements that a value refers to. */
export const listLocalUrls = (value: string) =>
  value.includes('url(') ? [...value.matchAll(localUrlPattern)].map(([, , id = '']) => id) : []

/** Returns the allowed declarations of a `style` attribute or a rule. */
export function cleanDeclarations(css: string): string {
  return removeComments(css)
    .split(';')
    .map((declaration) => {
      const colon = declaration.indexOf(':')
      return [declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()]
    })
    .filter(([name = '', value = '']) => propertyPattern.test(name) && value !== '' && isHarmlessValue(value))
    .map(([name, value]) => `${name}:${value}`)
    .join(';')
}

export interface CssRule {
  selector: string
  declarations: string
}

/**
 * Returns the allowed rules of a style sheet. Rules that begin with @, such as @import, @font-face and @media, are not
 * allowed.
 */
export function cleanStyleSheet(css: string): CssRule[] {
  return splitStyleSheet(removeComments(css))
    .map(({ selector, declarations }) => ({ selector: selector.trim(), declarations: cleanDeclarations(declarations) }))
    .filter(({ selector, declarations }) => selectorPattern.test(selector) && declarations !== '')
}

const removeComments = (css: string) => css.replace(/\/\*.*?(?:\*\/|$)/gs, ' ')

function splitStyleSheet(css: string): CssRule[] {
  const rules: CssRule[] = []
  let [start, blockStart, depth] = [0, 0, 0]
  for (let i = 0; i < css.length; i++) {
    const character = css[i]
    // A rule such as @import has no block, and ends with a semicolon.
    if (character === ';' && depth === 0) start = i + 1
    else if (character === '{' && depth++ === 0) blockStart = i
    else if (character === '}' && depth > 0 && --depth === 0) {
      rules.push({ selector: css.slice(start, blockStart), declarations: css.slice(blockStart + 1, i) })
      start = i + 1
    }
  }
  return rules
}
