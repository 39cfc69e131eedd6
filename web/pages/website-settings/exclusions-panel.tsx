import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CheckField, TextAreaField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import type { Form } from '../../lib/use-form.ts'
import { Dropped } from './excluded-events.tsx'
import { ParameterPreview } from './parameter-preview.tsx'
import type { Values } from './values.ts'

export function ExclusionsPanel({ form, website }: { form: Form<Values>; website: WebsiteRecord }) {
  const { values, set, errorsOf } = form
  return (
    <Panel title="What is not counted">
      <div class="form">
        <CheckField
          label="Leave out bots"
          hint="Search engines, monitors, browsers driven by programs."
          checked={values.exclude_bots}
          onValue={(value) => set('exclude_bots', value)}
        />
        <TextAreaField
          label="Addresses"
          hint="IP addresses and ranges, one per line, for instance 203.0.113.7 or 2001:db8::/32."
          rows={3}
          spellcheck={false}
          value={values.exclude_ips}
          errors={errorsOf('exclude_ips')}
          onValue={(value) => set('exclude_ips', value)}
        />
        <Dropped id={website.id} />
        <TextAreaField
          label="Parameters of addresses"
          hint="Names, one per line; a * at the end stands for any ending, a line * for every parameter. Pages that differ only in these are one page."
          rows={3}
          spellcheck={false}
          value={values.exclude_params}
          errors={errorsOf('exclude_params')}
          onValue={(value) => set('exclude_params', value)}
        />
        <ParameterPreview
          id={website.id}
          lines={values.exclude_params}
          onAdd={(name) => set('exclude_params', `${values.exclude_params.trimEnd()}\n${name}`.trimStart())}
        />
      </div>
    </Panel>
  )
}
