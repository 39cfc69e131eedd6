/** Small pages in the style of a status page: to enter its password, and to confirm, change or end a subscription. */
import { passwordScript, renderPasswordField } from '../../lib/password-field.ts'
import { escapeHtml } from '../../lib/text.ts'
import type { SnapshotPage } from '../snapshot.ts'
import { renderDocument } from './document.ts'

export type NoticeField =
  | { kind: 'hidden'; name: string; value: string }
  | {
      kind: 'input'
      type: 'email' | 'password'
      name: string
      label: string
      value?: string
      autocomplete: string
      /** Says what is wrong with the value. It is shown below the field. */
      error?: string
    }
  | {
      kind: 'choices'
      type: 'radio' | 'checkbox'
      legend: string
      name: string
      options: readonly { value: string; label: string; isChecked: boolean }[]
    }

/** A form that is sent with POST and works without script. */
export interface NoticeForm {
  /** A path, for example `/status/example/unlock`. */
  action: string
  fields: readonly NoticeField[]
  /** A verb, for example "Unsubscribe". */
  submitLabel: string
}

export interface NoticeLink {
  href: string
  label: string
}

export interface NoticePageContent {
  /**
   * Visitors who may not see the status page itself still see these values. undefined: the notice reveals nothing about
   * the status page.
   */
  page: Pick<SnapshotPage, 'title' | 'theme' | 'accentColor' | 'logoHash'> | undefined
  /** The path of the status page, for example `/status/example`. undefined: no link to it. */
  path?: string
  /** What the URLs of fonts begin with: see `toFontBase`. */
  fontBase: string
  title: string
  /** HTML, not text: escape everything that is not fixed. */
  bodyHtml: string
  form?: NoticeForm
  /** A second action in its own form, for example "Unsubscribe" below "Save". */
  otherForm?: NoticeForm
  /** Shown below everything else. */
  links?: readonly NoticeLink[]
}

/** Send it with the headers of `statusPageHeaders`. */
export function renderNoticePage({
  page,
  path,
  fontBase,
  title,
  bodyHtml,
  form,
  otherForm,
  links = [],
}: NoticePageContent): string {
  return renderDocument({
    page: page ?? { title: 'Status', theme: 'auto', accentColor: null, logoHash: null },
    paths: path === undefined ? undefined : { base: path, page: path },
    fontBase,
    title: page === undefined ? title : `${title} · ${page.title}`,
    isIndexed: false,
    kind: 'notice',
    mainHtml: `<section class="card notice"><h1>${escapeHtml(title)}</h1>${bodyHtml}${
      form === undefined ? '' : renderForm(form)
    }${otherForm === undefined ? '' : renderForm(otherForm, 'quiet')}${renderLinks(links)}</section>${hasPassword(form) ? passwordScript.html : ''}`,
  })
}

function renderLinks(links: readonly NoticeLink[]): string {
  if (links.length === 0) return ''
  const linksHtml = links.map(({ href, label }) => `<a href="${escapeHtml(href)}">${escapeHtml(label)}</a>`).join('')
  return `<p class="links">${linksHtml}</p>`
}

const hasPassword = (form: NoticeForm | undefined) =>
  form?.fields.some((field) => field.kind === 'input' && field.type === 'password') ?? false

function renderForm({ action, fields, submitLabel }: NoticeForm, kind = ''): string {
  const fieldsHtml = fields.map(renderNoticeField).join('')
  return `<form method="post" action="${escapeHtml(action)}">${fieldsHtml}<button class="button ${kind}">${escapeHtml(submitLabel)}</button></form>`
}

function renderNoticeField(field: NoticeField): string {
  const nameHtml = `name="${escapeHtml(field.name)}"`
  if (field.kind === 'hidden') return `<input type="hidden" ${nameHtml} value="${escapeHtml(field.value)}">`
  if (field.kind === 'choices') return renderChoices(field)
  const { type, name, label, value = '', autocomplete, error } = field
  const id = `field-${escapeHtml(name)}`
  const errorHtml = error === undefined ? '' : `<p class="error" id="${id}-error">${escapeHtml(error)}</p>`
  const describedHtml = error === undefined ? '' : ` aria-invalid="true" aria-describedby="${id}-error"`
  const inputHtml = `<input class="input" id="${id}" type="${type}" ${nameHtml} value="${escapeHtml(value)}" autocomplete="${escapeHtml(autocomplete)}" required${describedHtml}>`
  return `<div class="field"><label for="${id}">${escapeHtml(label)}</label>${type === 'password' ? renderPasswordField(inputHtml) : inputHtml}${errorHtml}</div>`
}

function renderChoices({ type, legend, name, options }: Extract<NoticeField, { kind: 'choices' }>): string {
  const optionsHtml = options
    .map(
      ({ value, label, isChecked }) =>
        `<label class="choice"><input type="${type}" name="${escapeHtml(name)}" value="${escapeHtml(value)}"${isChecked ? ' checked' : ''}><bdi>${escapeHtml(label)}</bdi></label>`,
    )
    .join('')
  return `<fieldset class="choices"><legend>${escapeHtml(legend)}</legend>${optionsHtml}</fieldset>`
}
