import type { SubscriberState } from '../../../src/shared/status-pages.ts'

export const subscriberStateLabels: Record<SubscriberState, { label: string; hint: string }> = {
  pending: {
    label: 'Unconfirmed',
    hint: "Hasn't confirmed with the link in the first email yet, so gets no other emails",
  },
  confirmed: { label: 'Confirmed', hint: 'Gets an email about each post, update and planned maintenance' },
  bounced: { label: 'Bounced', hint: 'The mail server of this address rejects messages, so no more are sent' },
}
