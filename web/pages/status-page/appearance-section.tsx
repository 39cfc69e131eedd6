import { Monitor, Moon, Palette, Sun } from 'lucide-preact'
import { CheckField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Section } from '../../components/section.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { TimeZoneField } from '../../components/time-zone-field.tsx'
import { AccentField } from './accent-field.tsx'
import { LogoField } from './logo-field.tsx'
import type { EditorSectionProps } from './use-editor-form.ts'

const themes = [
  { value: 'auto', label: 'Automatic', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const

export function AppearanceSection({ form, saved }: EditorSectionProps) {
  const { values, set, errorsFor } = form
  return (
    <Section title="Appearance" icon={Palette}>
      <div class="form">
        <LogoField form={form} saved={saved} />
        <FieldGroup legend="Theme" errors={errorsFor('theme')}>
          <div class="row">
            <SegmentedControl
              label="Theme"
              choices={themes}
              value={values.theme}
              onValue={(theme) => set('theme', theme)}
            />
          </div>
          <div class="field-hint">Automatic follows the setting of each visitor's device.</div>
        </FieldGroup>
        <AccentField form={form} saved={saved} />
        <TimeZoneField
          label="Time zone"
          hint="The daily bars begin and end at midnight in this zone."
          value={values.time_zone}
          errors={errorsFor('time_zone')}
          onValue={(zone) => set('time_zone', zone)}
        />
        <CheckField
          label="Show response times"
          hint="Each monitor gets a line chart of the last 24 hours."
          isSwitch
          checked={values.show_response_times}
          onValue={(isShown) => set('show_response_times', isShown)}
        />
      </div>
    </Section>
  )
}
