/**
 * The checkbox for emailing subscribers about a post or an update. Its hint says how many subscribers get the email.
 */
import { PRIVACY } from '../../../src/shared/websites.ts'
import { CheckField } from '../../components/field.tsx'
import { boot, canSend } from '../../lib/boot.ts'
import { pluralize } from '../../lib/format.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { useReachedSubscriberCount } from '../../lib/status-posts.ts'

interface NotifyFieldProps {
  page: StatusPage
  /** The monitors of the post. Some subscribers follow only some monitors. */
  monitorIds: readonly number[]
  checked: boolean
  onValue: (checked: boolean) => void
}

export function NotifyField({ page, monitorIds, checked, onValue }: NotifyFieldProps) {
  const obstacle = findObstacle(page)
  const { data: count } = useReachedSubscriberCount(page.id, monitorIds, obstacle === undefined)
  return (
    <CheckField
      label="Email subscribers"
      hint={obstacle ?? describeReach(count, checked)}
      isSwitch
      disabled={obstacle !== undefined}
      checked={checked && obstacle === undefined}
      onValue={onValue}
    />
  )
}

function findObstacle({ privacy }: StatusPage): string | undefined {
  if (!canSend('email')) return "This server can't send email yet."
  if (boot.base_url == null) return "Visitors can't subscribe by email until this server has a public URL."
  return privacy === PRIVACY.private ? 'Nobody can subscribe to a private page.' : undefined
}

function describeReach(count: number | undefined, isOn: boolean): string {
  if (count === undefined) return 'Counting subscribers…'
  if (count === 0) return 'No subscribers will get an email.'
  const people = pluralize(count, 'subscriber')
  return isOn ? `${people} will get an email.` : `${people} won't get an email.`
}
