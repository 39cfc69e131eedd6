/** Markdown as visitors of a status page see it. Its parser is loaded with the first text; until then, the text is shown as it is. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { renderMarkdownElements } from '../lib/render-markdown-elements.ts'
import './markdown-text.css'

let renderElements: typeof renderMarkdownElements | undefined

export function MarkdownText({ text }: { text: string }) {
  const [isLoaded, setLoaded] = useState(renderElements !== undefined)
  useEffect(() => {
    if (isLoaded) return
    import('../lib/render-markdown-elements.ts').then(
      (module) => {
        renderElements = module.renderMarkdownElements
        setLoaded(true)
      },
      // If the parser can't be loaded, the plain text stays, which is readable, too.
      () => {},
    )
  }, [isLoaded])
  const elements = useMemo(() => (isLoaded ? renderElements?.(text) : undefined), [isLoaded, text])
  return <div class="markdown">{elements ?? <p class="markdown-source">{text}</p>}</div>
}
