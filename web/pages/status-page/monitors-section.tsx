import { ListOrdered } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { FieldGroup } from '../../components/field-group.tsx'
import { Section } from '../../components/section.tsx'
import { useOverview } from '../../lib/queries.ts'
import { GroupList } from './group-list.tsx'
import type { EditorSectionProps } from './use-editor-form.ts'

export function MonitorsSection({ form: { values, set, errorsFor } }: EditorSectionProps) {
  const { data } = useOverview()
  return (
    <Section
      title="Monitors"
      icon={ListOrdered}
      description="Visitors see the labels and the state, never the names, URLs or error messages of your monitors."
    >
      {data?.monitors.length === 0 && (
        <p class="editor-no-monitors muted">
          You have no monitors yet. <Link href="/monitors/new">Add a monitor</Link> first, or save the page and add it
          later.
        </p>
      )}
      <FieldGroup legend="Monitors" isLegendHidden errors={errorsFor('groups')}>
        <GroupList groups={values.groups} onGroups={(groups) => set('groups', groups)} errorsFor={errorsFor} />
      </FieldGroup>
    </Section>
  )
}
