import { UserMinus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { DateTime } from '../../components/time.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { api } from '../../lib/api.ts'
import { pluralize } from '../../lib/format.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'
import { showToast } from '../../lib/toasts.ts'
import { refetchSubscribers, type Subscriber } from './queries.ts'
import { subscriberStateLabels } from './state-labels.ts'

export function SubscriberTable({ page, subscribers }: { page: StatusPage; subscribers: readonly Subscriber[] }) {
  const [subscriberToRemove, setSubscriberToRemove] = useState<Subscriber>()
  async function remove({ id, email }: Subscriber) {
    await api.delete(`api/status-pages/${page.id}/subscribers/${id}`)
    setSubscriberToRemove(undefined)
    showToast(`${email} removed.`)
    await refetchSubscribers(page.id)
  }
  return (
    <div class="panel table-panel table-scroll">
      <table class="table table-cards">
        <thead>
          <tr>
            <th scope="col">Email</th>
            <th scope="col">State</th>
            <th scope="col">Follows</th>
            <th scope="col">Subscribed</th>
            <th scope="col">
              <span class="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {subscribers.map((subscriber) => (
            <tr key={subscriber.id}>
              <th scope="row">{subscriber.email}</th>
              <td data-label="State">
                <Tooltip content={subscriberStateLabels[subscriber.state].hint}>
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the focus to read the tooltip */}
                  <span class={`subscriber-state subscriber-${subscriber.state}`} tabIndex={0}>
                    {subscriberStateLabels[subscriber.state].label}
                  </span>
                </Tooltip>
              </td>
              <td data-label="Follows">{describeFollowed(page, subscriber)}</td>
              <td data-label="Subscribed" class="numbers">
                <DateTime at={subscriber.confirmed_at ?? subscriber.created_at} />
              </td>
              <td class="end">
                <Button
                  needs="edit"
                  kind="quiet"
                  small
                  icon={UserMinus}
                  aria-label={`Remove ${subscriber.email}`}
                  onClick={() => setSubscriberToRemove(subscriber)}
                >
                  Remove
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {subscriberToRemove && (
        <ConfirmDialog
          title={`Remove ${subscriberToRemove.email}?`}
          action="Remove subscriber"
          onConfirm={() => remove(subscriberToRemove)}
          onClose={() => setSubscriberToRemove(undefined)}
        >
          They get no more emails about this page, and their address is deleted. They can subscribe again.
        </ConfirmDialog>
      )}
    </div>
  )
}

function describeFollowed(page: StatusPage, { monitor_ids }: Subscriber): string {
  if (monitor_ids === null) return 'Whole page'
  const [only, ...others] = listPageMonitors(page).filter(({ monitor_id }) => monitor_ids.includes(monitor_id))
  return only && others.length === 0 ? only.label : pluralize(others.length + (only ? 1 : 0), 'monitor')
}
