import { expect, it } from 'vitest'
import { renderNoticePage } from './notice-page.ts'

const page = { title: 'Example <status>', theme: 'light', accentColor: null, logoHash: 'abc' } as const

it('a notice has the logo of the status page, and forms that work without scripts', () => {
  const html = renderNoticePage({
    page,
    path: '/status/example',
    fontBase: '../',
    title: 'Your subscription',
    bodyHtml: '<p>Choose.</p>',
    form: {
      action: '/status/example/manage?token=a&b',
      fields: [
        { kind: 'hidden', name: 'token', value: '"x"' },
        {
          kind: 'input',
          type: 'email',
          name: 'email',
          label: 'Email',
          value: '<a@b>',
          autocomplete: 'email',
          error: 'Not <valid>',
        },
        {
          kind: 'choices',
          type: 'checkbox',
          legend: 'Monitors',
          name: 'monitor_ids',
          options: [{ value: '3', label: '<b>Shop', isChecked: true }],
        },
      ],
      submitLabel: 'Save',
    },
    otherForm: { action: '/status/example/unsubscribe', fields: [], submitLabel: 'Unsubscribe' },
  })
  expect(html).toContain('<title>Your subscription · Example &lt;status&gt;</title>')
  expect(html).toContain('<html lang="en" data-theme="light">')
  expect(html).toContain('src="/status/example/logo?v=abc" alt="Example &lt;status&gt;"')
  expect(html).toContain('<form method="post" action="/status/example/manage?token=a&amp;b">')
  expect(html).toContain('<input type="hidden" name="token" value="&quot;x&quot;">')
  expect(html).toContain('aria-invalid="true" aria-describedby="field-email-error"')
  expect(html).toContain('<p class="error" id="field-email-error">Not &lt;valid&gt;</p>')
  expect(html).toContain('value="3" checked><bdi>&lt;b&gt;Shop</bdi>')
  expect(html).toContain('>Unsubscribe</button>')
  expect(html).toContain('<meta name="robots" content="noindex">')
})

it('a notice without a status page has no link', () => {
  const html = renderNoticePage({ page: undefined, fontBase: '../', title: 'Not found', bodyHtml: '' })
  expect(html).toContain('<title>Not found</title>')
  expect(html).not.toContain('href="/')
})
