/** What a guest may see or change: a choice of websites and status pages. */
import type { GuestAccess } from '../../../src/shared/roles.ts'
import { CheckField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { Skeleton } from '../../components/states.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { useOverview } from '../../lib/queries.ts'
import { useStatusPages } from '../../lib/status-pages.ts'

export interface Shares {
  access: GuestAccess
  website_ids: readonly number[]
  status_page_ids: readonly number[]
}

interface ShareFieldsProps {
  shares: Shares
  onChange: (change: Partial<Shares>) => void
  errorsFor: (name: string) => readonly string[] | undefined
}

export function ShareFields({ shares, onChange, errorsFor }: ShareFieldsProps) {
  const { data: overview } = useOverview()
  const { data: pages } = useStatusPages()
  if (overview === undefined || pages === undefined) return <Skeleton height="12rem" />
  return (
    <>
      <FieldGroup legend="Access">
        <div class="row">
          <SegmentedControl
            label="Access"
            choices={[
              { value: 'read', label: 'Can view' },
              { value: 'edit', label: 'Can edit' },
            ]}
            value={shares.access}
            onValue={(access) => onChange({ access })}
          />
        </div>
      </FieldGroup>
      <CheckList
        legend="Websites"
        emptyText="The team has no websites yet."
        items={overview.websites.map(({ id, domain }) => ({ id, label: toDisplayHost(domain) }))}
        ids={shares.website_ids}
        errors={errorsFor('website_ids')}
        onIds={(website_ids) => onChange({ website_ids })}
      />
      <CheckList
        legend="Status pages"
        emptyText="The team has no status pages yet."
        items={pages.map(({ id, title }) => ({ id, label: title }))}
        ids={shares.status_page_ids}
        errors={errorsFor('status_page_ids')}
        onIds={(status_page_ids) => onChange({ status_page_ids })}
      />
    </>
  )
}

interface CheckListProps {
  legend: string
  emptyText: string
  items: readonly { id: number; label: string }[]
  ids: readonly number[]
  errors: readonly string[] | undefined
  onIds: (ids: number[]) => void
}

function CheckList({ legend, emptyText, items, ids, errors, onIds }: CheckListProps) {
  const toggle = (id: number, isChosen: boolean) => onIds(isChosen ? [...ids, id] : ids.filter((each) => each !== id))
  return (
    <FieldGroup legend={legend} errors={errors}>
      {items.length === 0 ? (
        <p class="muted small">{emptyText}</p>
      ) : (
        <div class="team-choices">
          {items.map(({ id, label }) => (
            <CheckField
              key={id}
              label={label}
              checked={ids.includes(id)}
              onValue={(isChosen) => toggle(id, isChosen)}
            />
          ))}
        </div>
      )}
    </FieldGroup>
  )
}
