/** Colors and styles of a report. Many mail programs ignore style sheets, so styles are inline. The style sheet only adds dark mode. */

const lightColors = {
  page: '#f3f4f6',
  card: '#ffffff',
  text: '#111827',
  muted: '#5b6472',
  line: '#e5e7eb',
  bar: '#2563eb',
  up: '#15803d',
  down: '#b91c1c',
}
export type ReportColor = keyof typeof lightColors

const darkColors: Record<ReportColor, string> = {
  page: '#0f1216',
  card: '#1a1f26',
  text: '#e8ebf0',
  muted: '#9aa5b4',
  line: '#2d343e',
  bar: '#60a5fa',
  up: '#4ade80',
  down: '#f87171',
}

/** Attributes of an element. The class lets the style sheet replace the color in dark mode. */
export const textColorAttributes = (color: ReportColor, style = '') =>
  `class="text-${color}" style="color:${lightColors[color]};${style}"`
export const backgroundAttributes = (color: ReportColor, style = '') =>
  `class="fill-${color}" bgcolor="${lightColors[color]}" style="background-color:${lightColors[color]};${style}"`
export const topBorderAttributes = (style = '') =>
  `class="border" style="border-top:1px solid ${lightColors.line};${style}"`

const darkRules = (Object.keys(darkColors) as ReportColor[])
  .map(
    (color) =>
      `.text-${color}{color:${darkColors[color]}!important}.fill-${color}{background-color:${darkColors[color]}!important}`,
  )
  .join('')

export const styleSheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){${darkRules}.border{border-color:${darkColors.line}!important}.button{color:#0f1216!important}}`

export const font = `font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`

/** A table for layout, which screen readers ignore. */
export const layoutTable = (rows: string, style = '') =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;${style}">${rows}</table>`
