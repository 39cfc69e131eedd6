/** Lists the posts of a status page: open ones, then resolved ones. */
import { MessageSquareText, PenLine } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Button, ButtonLink } from '../components/button.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '../components/states.tsx'
import type { StatusPage } from '../lib/status-pages.ts'
import { type StatusPost, useOpenPosts, useResolvedPosts } from '../lib/status-posts.ts'
import { StatusPageFrame } from './status-page/frame.tsx'
import { PostRow } from './status-page-posts/post-row.tsx'
import '../components/post-state-badge.css'
import './status-page-posts/posts.css'

export default function StatusPostsPage({ pageId }: { pageId: number }) {
  const [open, resolved] = [useOpenPosts(pageId), useResolvedPosts(pageId)]
  const failedQuery = [open, resolved].find(({ data, isError }) => data === undefined && isError)
  const isEmpty = open.data?.length === 0 && resolved.data?.pages[0]?.meta.total === 0
  const writeButton = (
    <ButtonLink needs="edit shared" kind="primary" icon={PenLine} to={`/status-pages/${pageId}/posts/new`}>
      Write post
    </ButtonLink>
  )
  return (
    <StatusPageFrame pageId={pageId} title="Posts" actions={isEmpty ? undefined : writeButton}>
      {(page) =>
        failedQuery ? (
          <ErrorState error={failedQuery.error} retry={() => void failedQuery.refetch()} />
        ) : open.data === undefined || resolved.data === undefined ? (
          <Loading what="posts">
            <Skeleton height="5rem" />
            <Skeleton height="14rem" />
          </Loading>
        ) : isEmpty ? (
          <div class="panel">
            <EmptyState title="Tell people what is going on" icon={MessageSquareText}>
              <p>
                When something breaks, write a post: what doesn't work, what you are doing about it, and when it is
                fixed. It appears on the status page immediately, and subscribers get an email.
              </p>
              {writeButton}
            </EmptyState>
          </div>
        ) : (
          <div class="posts-sections">
            <PostSection title="Open" page={page} posts={open.data} />
            <PostSection title="Resolved" page={page} posts={resolved.data.pages.flatMap(({ data }) => data)}>
              {resolved.hasNextPage && (
                <Button busy={resolved.isFetchingNextPage} onClick={() => void resolved.fetchNextPage()}>
                  Show more
                </Button>
              )}
            </PostSection>
          </div>
        )
      }
    </StatusPageFrame>
  )
}

interface PostSectionProps {
  title: string
  page: StatusPage
  posts: readonly StatusPost[]
  children?: ComponentChildren
}

function PostSection({ title, page, posts, children }: PostSectionProps) {
  if (posts.length === 0) return null
  return (
    <section class="stack">
      <h2>{title}</h2>
      <ul class="panel posts">
        {posts.map((post) => (
          <PostRow key={post.id} page={page} post={post} />
        ))}
      </ul>
      {children}
    </section>
  )
}
