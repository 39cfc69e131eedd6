/** The accent color: presets, any other color, and what the page makes of it in each theme. */
import { CircleCheck } from 'lucide-preact'
import {
  accentBackgrounds,
  contrastOf,
  deriveAccentColors,
  type ShownTheme,
} from '../../../src/shared/color-contrast.ts'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import type { EditorSectionProps } from './use-editor-form.ts'

/** The accent color of status pages that don't set one. */
const DEFAULT_ACCENT = '#4f46e5'

/** The value of the first preset is empty: the page then has the colors of Belfry. */
const presets = [
  { name: 'Belfry', value: '', color: DEFAULT_ACCENT },
  ...[
    { name: 'Blue', color: '#1d4ed8' },
    { name: 'Teal', color: '#0f766e' },
    { name: 'Green', color: '#0a7d4f' },
    { name: 'Orange', color: '#c2410c' },
    { name: 'Red', color: '#b91c1c' },
    { name: 'Pink', color: '#be185d' },
    { name: 'Slate', color: '#334155' },
  ].map((preset) => ({ ...preset, value: preset.color })),
]

export function AccentField({ form: { values, set, errorsFor } }: EditorSectionProps) {
  const { accent_color, theme } = values
  const errors = errorsFor('accent_color')
  const setColor = (color: string) => set('accent_color', color.trim())
  const themes = theme === 'auto' ? (['light', 'dark'] as const) : ([theme] as const)
  return (
    <Field
      label="Accent color"
      hint={
        accent_color === '' ? (
          'For links, buttons, the top of the page and charts.'
        ) : errors === undefined ? (
          <span class="accent-contrast numbers">
            {themes.map((shownTheme) => (
              <span key={shownTheme}>
                <Icon icon={CircleCheck} size={14} />
                {describeContrast(accent_color, shownTheme)}
              </span>
            ))}
          </span>
        ) : undefined
      }
      errors={errors}
    >
      {(control) => (
        <div class="accent-choice">
          <div class="accent-presets" role="radiogroup" aria-label="Preset accent colors">
            {presets.map(({ name, value, color }) => (
              <label key={name} class="accent-preset" title={name} style={{ '--preset': color }}>
                <input
                  type="radio"
                  name="accent-preset"
                  aria-label={name}
                  checked={accent_color.toLowerCase() === value}
                  onChange={() => setColor(value)}
                />
              </label>
            ))}
          </div>
          <div class="accent-input">
            <input
              type="color"
              aria-label="Choose the accent color"
              value={/^#[0-9a-f]{6}$/i.test(accent_color) ? accent_color : DEFAULT_ACCENT}
              onInput={(event) => setColor(event.currentTarget.value)}
            />
            <input
              {...control}
              type="text"
              class="input"
              placeholder={DEFAULT_ACCENT}
              maxLength={7}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={accent_color}
              onInput={(event) => setColor(event.currentTarget.value)}
            />
            {accent_color !== '' && (
              <Button kind="quiet" onClick={() => setColor('')}>
                Reset
              </Button>
            )}
          </div>
        </div>
      )}
    </Field>
  )
}

/** The ratio is rounded down, so that one that is too low never looks sufficient. */
function describeContrast(color: string, theme: ShownTheme): string {
  const { text } = deriveAccentColors(color, theme)
  const ratio = contrastOf(text, accentBackgrounds[theme])
  const contrast = `${(Math.floor(ratio * 10) / 10).toFixed(1)}:1`
  const name = theme === 'light' ? 'Light theme' : 'Dark theme'
  return text === color.toLowerCase()
    ? `${name}: links in your color (${contrast})`
    : `${name}: links in ${text} (${contrast}), because your color is too ${theme}`
}
