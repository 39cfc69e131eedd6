/** One post with its updates. The user can add updates, and resolve, correct or delete the post. */

import { NotFoundPage } from '../components/not-found-page.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { useStatusPost } from '../lib/status-posts.ts'
import { StatusPageFrame } from './status-page/frame.tsx'
import { PostView } from './status-page-posts/post-view.tsx'
import './status-page-posts/posts.css'
import './status-page-posts/post-form.css'
import './status-page-posts/post-page.css'

export default function StatusPostPage({ pageId, postId }: { pageId: number; postId: number }) {
  const query = useStatusPost(pageId, postId)
  if (query.data === undefined && isNotFound(query.error)) return <NotFoundPage />
  return (
    <StatusPageFrame pageId={pageId} title={query.data?.post.title ?? 'Post'}>
      {(page) => (
        <QueryContent
          query={query}
          loading={
            <Loading what="post">
              <Skeleton height="4rem" />
              <Skeleton height="16rem" />
            </Loading>
          }
        >
          {({ post, updates }) => <PostView page={page} post={post} updates={updates} />}
        </QueryContent>
      )}
    </StatusPageFrame>
  )
}
