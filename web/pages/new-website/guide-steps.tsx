/** The steps of each guide. This file is loaded when the user chooses a guide. */
import type { ComponentChildren } from 'preact'
import { CodeLine } from '../../components/copy-button.tsx'
import { publicUrl } from '../../lib/boot.ts'
import { buildNextScript, buildTagManagerScript, type GuideKey } from './guides.ts'

interface Guide {
  steps: readonly ComponentChildren[]
  note?: ComponentChildren
}

type GuideWithSteps = Exclude<GuideKey, 'html'>

/** The names are those of the menus and fields of each product. */
const guides: Record<GuideWithSteps, (domain: string) => Guide> = {
  wordpress: () => ({
    steps: [
      <>
        In the WordPress admin, open <b>Plugins → Add Plugin</b>, and install and activate the free plugin <b>WPCode</b>
        .
      </>,
      <>
        Open <b>Code Snippets → Header &amp; Footer</b>.
      </>,
      <>
        Paste the snippet into <b>Header</b>, and choose <b>Save Changes</b>.
      </>,
      'Clear the cache of your caching plugin, if you have one.',
    ],
    note: (
      <>
        If a plugin delays or combines JavaScript, exclude <code>b.js</code>. On WordPress.com, plugins need a paid
        plan.
      </>
    ),
  }),
  nextjs: (domain) => ({
    steps: [
      <>
        Open the root layout: <code>app/layout.tsx</code>, or <code>pages/_app.tsx</code> with the Pages Router.
      </>,
      <>
        Import the script component: <code>import Script from 'next/script'</code>
      </>,
      <>
        Add this after <code>{'{children}'}</code>, or after <code>{'<Component />'}</code> with the Pages Router:
        <CodeLine text={buildNextScript({ scriptUrl: `${publicUrl}/b.js`, domain })} label="Copy" />
      </>,
      'Deploy your website.',
    ],
    note: 'Navigation between pages without a reload is counted, too.',
  }),
  ghost: () => ({
    steps: [
      <>
        In Ghost Admin, open <b>Settings → Advanced → Code injection</b>.
      </>,
      <>
        Paste the snippet into <b>Site header</b>.
      </>,
      <>
        Choose <b>Save</b>.
      </>,
    ],
  }),
  shopify: () => ({
    steps: [
      <>
        In the Shopify admin, open <b>Online Store → Themes</b>.
      </>,
      <>
        Beside your current theme, open the menu <b>⋯</b> and choose <b>Edit code</b>.
      </>,
      <>
        In the folder <b>layout</b>, open <code>theme.liquid</code>.
      </>,
      <>
        Paste the snippet before <code>{'</head>'}</code>, and choose <b>Save</b>.
      </>,
    ],
    note: "The checkout doesn't use the theme, so its pages are not counted. If you change the theme, add the snippet again.",
  }),
  webflow: () => ({
    steps: [
      <>
        Open <b>Site settings → Custom code</b>.
      </>,
      <>
        Paste the snippet into <b>Head code</b>, and choose <b>Save</b>.
      </>,
      <>
        Choose <b>Publish</b>, because custom code only works on the published website.
      </>,
    ],
    note: 'Custom code needs a paid Site plan or Workspace plan.',
  }),
  'tag-manager': (domain) => ({
    steps: [
      <>
        In your container, open <b>Tags → New → Tag Configuration</b>, and choose <b>Custom HTML</b>.
      </>,
      <>
        Paste this code instead of the snippet, because Google Tag Manager removes <code>data-domain</code>:
        <CodeLine text={buildTagManagerScript({ scriptUrl: `${publicUrl}/b.js`, domain })} label="Copy" />
      </>,
      <>
        Under <b>Triggering</b>, choose <b>All Pages</b>, and save the tag.
      </>,
      <>
        Choose <b>Submit</b>, then <b>Publish</b>.
      </>,
    ],
    note: 'Ad blockers often block tag managers. A snippet in the HTML of the page counts more visitors.',
  }),
}

export default function GuideSteps({ guide, domain }: { guide: GuideWithSteps; domain: string }) {
  const { steps, note } = guides[guide](domain)
  return (
    <>
      <ol class="guide-steps">
        {steps.map((step, index) => (
          <li key={index}>{step}</li>
        ))}
      </ol>
      {note !== undefined && <p class="muted small">{note}</p>}
    </>
  )
}
