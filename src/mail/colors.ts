/**
 * The colors of all emails, which are the same as on the pages. Many mail programs ignore style sheets, so light colors
 * are inline, and the style sheet only replaces them in dark mode.
 */

const lightColors = {
  page: '#f7f7f9',
  card: '#ffffff',
  raised: '#f1f1f5',
  line: '#e7e7ee',
  text: '#14141c',
  muted: '#5d5d70',
  accent: '#4338ca',
  accentShape: '#4f46e5',
  accentSoft: '#eeeefe',
  chart: '#5248e6',
  onAccent: '#ffffff',
  up: '#11703a',
  upShape: '#1ba65c',
  upSoft: '#e3f7ec',
  down: '#b4161b',
  downShape: '#df343a',
  downSoft: '#fdeaea',
  reminder: '#9a3412',
  reminderShape: '#ea580c',
  reminderSoft: '#ffe8d6',
  warn: '#825300',
  warnShape: '#c27f06',
  warnSoft: '#fdf3dc',
  info: '#1d4fa8',
  infoShape: '#2f6fd0',
  infoSoft: '#e8f0fd',
} as const
export type MailColor = keyof typeof lightColors

const darkColors: Record<MailColor, string> = {
  page: '#0b0b0f',
  card: '#141419',
  raised: '#1e1e26',
  line: '#25252e',
  text: '#f1f1f6',
  muted: '#9d9daf',
  accent: '#a5b0ff',
  accentShape: '#5b52ea',
  accentSoft: '#211f45',
  chart: '#8d95ff',
  onAccent: '#ffffff',
  up: '#4ade80',
  upShape: '#2fb76c',
  upSoft: '#10291b',
  down: '#ff8d8d',
  downShape: '#f0565a',
  downSoft: '#351517',
  reminder: '#fdba74',
  reminderShape: '#f97316',
  reminderSoft: '#3a2010',
  warn: '#f5c451',
  warnShape: '#dd9d20',
  warnSoft: '#30260f',
  info: '#8fb8ff',
  infoShape: '#5b93ec',
  infoSoft: '#14223c',
}

/**
 * Returns attributes of an element with colored text. The class lets the style sheet replace the color in dark mode.
 */
export const textColorAttributes = (color: MailColor, style = '') =>
  `class="text-${color}" style="color:${lightColors[color]};${style}"`

/** Outlook reads the attribute `bgcolor`, other programs the style. */
export const backgroundAttributes = (color: MailColor, style = '') =>
  `class="fill-${color}" bgcolor="${lightColors[color]}" style="background-color:${lightColors[color]};${style}"`

/** `edge` is `top`, or empty for all four edges. */
export const borderAttributes = (edge: 'top' | '', style = '') =>
  `class="border" style="border${edge && `-${edge}`}:1px solid ${lightColors.line};${style}"`

/** Returns attributes of an element with a background, and a thick line in a stronger color above it. */
export const markedBackgroundAttributes = (color: MailColor, lineColor: MailColor, style = '') =>
  `class="fill-${color} line-${lineColor}" bgcolor="${lightColors[color]}" style="background-color:${lightColors[color]};border-top:4px solid ${lightColors[lineColor]};${style}"`

/**
 * Returns rules only for the classes in `html`, because mail programs limit the length of style sheets, and no email
 * uses all colors.
 */
function formatDarkRules(html: string, textScope: string, fillScope: string): string {
  const classNames = new Set([...html.matchAll(/class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ')))
  const colors = Object.entries(darkColors)
  const rules = [
    ...colors.map(([color, value]) => [`text-${color}`, textScope, `color:${value}`]),
    ...colors.map(([color, value]) => [`fill-${color}`, fillScope, `background-color:${value}`]),
    ...colors.map(([color, value]) => [`line-${color}`, fillScope, `border-top-color:${value}`]),
    ['border', fillScope, `border-color:${darkColors.line}`],
  ]
  return rules
    .filter(([className = '']) => classNames.has(className))
    .map(([className, scope, declaration]) => `${scope}.${className}{${declaration}!important}`)
    .join('')
}

/**
 * Returns several style elements, because Gmail drops a whole element if it does not understand one of its rules.
 * Outlook on the web ignores the media query and sets the attributes `data-ogsc` (text) and `data-ogsb` (background) in
 * its dark mode. Programs that know neither invert the colors themselves. That keeps the contrast, because text and
 * background always invert together.
 */
export function formatStyleElements(html: string): string {
  return [
    ':root{color-scheme:light dark;supported-color-schemes:light dark}',
    `@media (prefers-color-scheme:dark){${formatDarkRules(html, '', '')}}`,
    formatDarkRules(html, '[data-ogsc] ', '[data-ogsb] '),
  ]
    .map((rules) => `<style>${rules}</style>`)
    .join('\n')
}
