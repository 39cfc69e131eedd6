/** How a report looks. Mail programs know little of CSS, so all of it is inline; those that know more get the dark colours. */

const light = {
  page: '#f3f4f6',
  card: '#ffffff',
  text: '#111827',
  muted: '#5b6472',
  line: '#e5e7eb',
  bar: '#2563eb',
  up: '#15803d',
  down: '#b91c1c',
}
export type Colour = keyof typeof light

const dark: Record<Colour, string> = {
  page: '#0f1216',
  card: '#1a1f26',
  text: '#e8ebf0',
  muted: '#9aa5b4',
  line: '#2d343e',
  bar: '#60a5fa',
  up: '#4ade80',
  down: '#f87171',
}

/** Attributes of an element in that colour, light or dark. */
export const ink = (colour: Colour, style = '') => `class="ink-${colour}" style="color:${light[colour]};${style}"`
export const fill = (colour: Colour, style = '') =>
  `class="fill-${colour}" bgcolor="${light[colour]}" style="background-color:${light[colour]};${style}"`
export const rule = (style = '') => `class="rule" style="border-top:1px solid ${light.line};${style}"`

const darkRules = (Object.keys(dark) as Colour[])
  .map(
    (colour) =>
      `.ink-${colour}{color:${dark[colour]}!important}.fill-${colour}{background-color:${dark[colour]}!important}`,
  )
  .join('')

export const styleSheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){${darkRules}.rule{border-color:${dark.line}!important}.button{color:#0f1216!important}}`

export const font = `font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`

/** A table that only arranges. */
export const table = (rows: string, style = '') =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;${style}">${rows}</table>`
