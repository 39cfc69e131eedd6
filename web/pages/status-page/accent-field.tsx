import { CircleCheck } from 'lucide-preact'
import { accentBackgrounds, contrastOf, deriveAccentColors } from '../../../src/shared/color-contrast.ts'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import type { EditorSectionProps } from './use-editor-form.ts'

/** What the color input shows until a color is chosen: the accent color of status pages that don't set one. */
const DEFAULT_ACCENT = '#4f46e5'

export function AccentField({ form: { values, set, errorsFor } }: EditorSectionProps) {
  const { accent_color, theme } = values
  const errors = errorsFor('accent_color')
  const setColor = (color: string) => set('accent_color', color.trim())
  const hasColor = accent_color !== '' && errors === undefined
  const themes = theme === 'auto' ? (['light', 'dark'] as const) : ([theme] as const)
  return (
    <Field
      label="Accent color"
      hint={
        hasColor ? (
          <span class="accent-contrast numbers">
            {themes.map((shownTheme) => (
              <span key={shownTheme}>
                <Icon icon={CircleCheck} size={14} />
                Contrast {formatContrast(accent_color, shownTheme)} in the {shownTheme} theme
              </span>
            ))}
          </span>
        ) : accent_color === '' ? (
          'For links and buttons. If you choose no color, the page uses the accent color of Belfry.'
        ) : undefined
      }
      errors={errors}
    >
      {(control) => (
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
      )}
    </Field>
  )
}

/**
 * Returns the contrast ratio of links in this color. The ratio is rounded down, so that one that is too low never looks
 * sufficient.
 */
function formatContrast(color: string, theme: 'light' | 'dark'): string {
  const ratio = contrastOf(deriveAccentColors(color, theme).text, accentBackgrounds[theme])
  return `${(Math.floor(ratio * 10) / 10).toFixed(1)}:1`
}
