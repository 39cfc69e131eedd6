import { ListFilter } from 'lucide-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CheckField, TextAreaField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import type { Form } from '../../lib/use-form.ts'
import { ExcludedEvents } from './excluded-events.tsx'
import { ParameterPreview } from './parameter-preview.tsx'
import type { SettingsValues } from './values.ts'

export function ExclusionsPanel({ form, website }: { form: Form<SettingsValues>; website: WebsiteRecord }) {
  const { values, set, errorsFor } = form
  return (
    <Section
      title="Exclusions"
      icon={ListFilter}
      description="Visits to exclude from the statistics, and URL parameters to ignore."
    >
      <div class="form">
        <CheckField
          label="Exclude bots"
          hint="Search engine crawlers, uptime monitors and automated browsers."
          isSwitch
          checked={values.exclude_bots}
          onValue={(value) => set('exclude_bots', value)}
        />
        <TextAreaField
          label="Excluded IPs"
          hint="IP addresses or CIDR ranges, one per line, for example 203.0.113.7 or 2001:db8::/32."
          rows={3}
          spellcheck={false}
          value={values.exclude_ips}
          errors={errorsFor('exclude_ips')}
          onValue={(value) => set('exclude_ips', value)}
        />
        <ExcludedEvents id={website.id} />
        <TextAreaField
          label="Ignored URL parameters"
          hint="One name per line. End a name with * as a wildcard (filter*), or enter only * to ignore all parameters. URLs that differ only in ignored parameters are counted as one page. utm_source, ref, gclid and the like are never part of a page."
          rows={3}
          spellcheck={false}
          value={values.exclude_params}
          errors={errorsFor('exclude_params')}
          onValue={(value) => set('exclude_params', value)}
        />
        <ParameterPreview
          id={website.id}
          typedText={values.exclude_params}
          onAdd={(name) => set('exclude_params', `${values.exclude_params.trimEnd()}\n${name}`.trimStart())}
        />
      </div>
    </Section>
  )
}
