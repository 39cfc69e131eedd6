/** The HTML pages on which people subscribe, confirm, choose monitors, and unsubscribe. */
import { escapeHtml } from '../../lib/text.ts'
import { PRIVACY } from '../../shared/websites.ts'
import { type NoticeField, type NoticePageContent, renderNoticePage } from '../render/notice-page.ts'
import { CHOICE_HINT, CHOICE_TEXT, SUBSCRIBE_TEXT } from '../render/subscribe.ts'
import { PENDING_DAYS, type Subscriber, type SubscriptionPage } from './subscription-store.ts'

type PageContent = Omit<NoticePageContent, 'page' | 'path' | 'fontBase'>

/** What the URLs of fonts begin with on all of these pages. */
export const NOTICE_FONT_BASE = '../'
const fontBase = NOTICE_FONT_BASE

/** Nobody but its owner may see anything of a private page, not even people who subscribed while it was public. */
export const isHiddenFromSubscribers = ({ privacy }: Pick<SubscriptionPage, 'privacy'>) => privacy === PRIVACY.private

/** Links and forms are relative to `/status/{slug}/…`, so that they also work at a custom domain and behind a path prefix. */
function renderPage(page: SubscriptionPage, content: PageContent): string {
  if (isHiddenFromSubscribers(page)) return renderNoticePage({ page: undefined, fontBase, ...content })
  // Only visitors who know the password can load the logo of a protected page.
  const logoHash = page.privacy === PRIVACY.public ? page.logoHash : null
  const path = `../${page.slug}`
  const links = [{ href: path, label: 'View status page' }, ...(content.links ?? [])]
  return renderNoticePage({ page: { ...page, logoHash }, path, fontBase, ...content, links })
}

const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`

function toMonitorField(page: SubscriptionPage, chosenIds: readonly number[]): NoticeField[] {
  const { monitors } = page
  if (monitors.length === 0 || isHiddenFromSubscribers(page)) return []
  return [
    {
      kind: 'choices',
      type: 'checkbox',
      legend: `${CHOICE_TEXT}. ${CHOICE_HINT}`,
      name: 'monitor_ids',
      options: monitors.map(({ id, label }) => ({ value: String(id), label, isChecked: chosenIds.includes(id) })),
    },
  ]
}

export interface SubscribeFormState {
  email: string
  monitorIds: readonly number[]
  error?: string
}

export function renderSubscribePage(page: SubscriptionPage, { email, monitorIds, error }: SubscribeFormState): string {
  return renderPage(page, {
    title: 'Get updates by email',
    bodyHtml: paragraph(SUBSCRIBE_TEXT),
    form: {
      action: 'subscribe',
      fields: [
        {
          kind: 'input',
          type: 'email',
          name: 'email',
          label: 'Email address',
          value: email,
          autocomplete: 'email',
          ...(error !== undefined && { error }),
        },
        ...toMonitorField(page, monitorIds),
      ],
      submitLabel: 'Subscribe',
    },
  })
}

/** The text is the same for every address, because it must not reveal which addresses are subscribed. */
const checkInboxDetails = `If this address isn't subscribed yet, you will get an email with a link to confirm it. The link works for ${PENDING_DAYS} days.`
export const CHECK_INBOX_TEXT = `Check your inbox. ${checkInboxDetails}`

export function renderCheckInboxPage(page: SubscriptionPage): string {
  return renderPage(page, { title: 'Check your inbox', bodyHtml: paragraph(checkInboxDetails) })
}

export function renderConfirmPage(page: SubscriptionPage, { email }: Subscriber, token: string): string {
  return renderPage(page, {
    title: 'Confirm your subscription',
    bodyHtml: paragraph(`${email} will get an email about each update we post and each planned maintenance.`),
    form: { action: `?token=${token}`, fields: [], submitLabel: 'Confirm subscription' },
  })
}

export function renderConfirmedPage(page: SubscriptionPage, { email }: Subscriber, manageToken: string): string {
  return renderPage(page, {
    title: 'You are subscribed',
    bodyHtml: paragraph(
      `${email} gets an email about each update we post and each planned maintenance. Each email has a link to unsubscribe.`,
    ),
    links: [{ href: `manage?token=${manageToken}`, label: 'Manage your subscription' }],
  })
}

export function renderManagePage(
  page: SubscriptionPage,
  { email, monitorIds }: Subscriber,
  { token, unsubscribeToken, isSaved }: { token: string; unsubscribeToken: string; isSaved: boolean },
): string {
  const fields = toMonitorField(page, monitorIds ?? [])
  const savedHtml = isSaved ? '<p role="status">Saved.</p>' : ''
  const explanation = isHiddenFromSubscribers(page)
    ? `This status page is private now. ${email} gets no emails while it is private.`
    : `${email} gets an email about each update we post and each planned maintenance.`
  return renderPage(page, {
    title: 'Your subscription',
    bodyHtml: `${savedHtml}${paragraph(explanation)}`,
    ...(fields.length > 0 && { form: { action: `?token=${token}`, fields, submitLabel: 'Save' } }),
    otherForm: { action: `unsubscribe?token=${unsubscribeToken}`, fields: [], submitLabel: 'Unsubscribe' },
  })
}

export function renderUnsubscribePage(page: SubscriptionPage, { email }: Subscriber, token: string): string {
  return renderPage(page, {
    title: 'Unsubscribe',
    bodyHtml: paragraph(`${email} will get no more emails from this page.`),
    form: { action: `?token=${token}`, fields: [], submitLabel: 'Unsubscribe' },
  })
}

export function renderUnsubscribedPage(page: SubscriptionPage): string {
  return renderPage(page, {
    title: 'You are unsubscribed',
    bodyHtml: paragraph('We deleted your address. You will get no more emails from this page.'),
    ...(!isHiddenFromSubscribers(page) && {
      links: [{ href: `../${page.slug}/subscribe`, label: 'Subscribe again' }],
    }),
  })
}

/**
 * People get this page if they have already unsubscribed or if their link is incomplete. It shows nothing of the status
 * page, because such a link proves nothing.
 */
export function renderUnknownLinkPage(): string {
  return renderNoticePage({
    page: undefined,
    fontBase,
    title: 'You are not subscribed',
    bodyHtml: paragraph(
      `The subscription of this link has ended, or was not confirmed within ${PENDING_DAYS} days. If you still get emails, use the link in the latest one.`,
    ),
  })
}

export function renderProblemNotice(title: string, detail: string): string {
  return renderNoticePage({ page: undefined, fontBase, title, bodyHtml: paragraph(detail) })
}
