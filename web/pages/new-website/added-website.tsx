/** What is left to do for a website that has just been added. */
import { useEffect, useRef } from 'preact/hooks'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CodeLine } from '../../components/copy-button.tsx'
import { buildTrackingSnippet } from '../../lib/boot.ts'
import { FirstVisit } from './first-visit.tsx'
import './new-website.css'

export function AddedWebsite({ website }: { website: WebsiteRecord }) {
  const next = useRef<HTMLParagraphElement>(null)
  // The form that had the focus is gone: what comes next has it.
  useEffect(() => next.current?.focus(), [])
  return (
    <div class="stack">
      <p ref={next} tabIndex={-1} class="new-website-next">
        Put this line into the <code>&lt;head&gt;</code> of every page of {website.domain}:
      </p>
      <CodeLine text={buildTrackingSnippet(website.domain)} label="Copy" />
      <p class="muted small">
        Most systems have one template for the head of all pages, or a setting for code in the head. With a tag manager,
        make it custom HTML on all pages. Then look whether <code>data-domain</code> is still there and says{' '}
        <code>{website.domain}</code>: some take it away.
      </p>
      <FirstVisit id={website.id} domain={website.domain} />
      <details class="new-website-help">
        <summary>It does not arrive?</summary>
        <ul>
          <li>
            <strong>An ad blocker</strong> in your browser may stop it. Try another browser, or a phone.
          </li>
          <li>
            <strong>Do Not Track and Global Privacy Control</strong> are honoured: who asks not to be counted is not.
            Your browser may ask.
          </li>
          <li>
            <strong>Excluded visits</strong>: robots are not counted, nor are addresses that you exclude. The settings
            of the website say how many were turned away, and why.
          </li>
          <li>
            <strong>Another domain</strong> in <code>data-domain</code> than the one you added is not known here.
          </li>
          <li>
            <strong>A Content-Security-Policy</strong> of your website has to allow this server in{' '}
            <code>script-src</code> and <code>connect-src</code>. The browser’s console says when it does not.
          </li>
          <li>
            <strong>A cache</strong> may still hand out the page without the line. Look for it in the source of the page
            that your browser got.
          </li>
        </ul>
      </details>
    </div>
  )
}
