import { ArrowLeft } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { Icon } from '../../components/icon.tsx'

/** The heading of a page about one post, with a link to all posts. */
export function PostTitle({ listPath, children }: { listPath: string; children: ComponentChildren }) {
  return (
    <>
      <Link href={listPath} class="post-back small">
        <Icon icon={ArrowLeft} size={14} />
        All posts
      </Link>
      <h2 class="post-title">{children}</h2>
    </>
  )
}
