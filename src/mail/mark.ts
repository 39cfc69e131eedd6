/**
 * The bell tower at the top of every email. The email contains the image instead of loading it from the server: mail programs block
 * remote images and SVG, the server may have no public URL, and requests for the image would show who has opened the email.
 */
import { MARK_PNG_BASE64 } from './mark-png.ts'

const CONTENT_ID = 'mark@belfry'
const MARK_SIZE_PX = 28

/**
 * The name of the product stands beside the mark, so the mark has no alternative text of its own. The cell around it has the same
 * background as the mark, and looks complete if a mail program blocks all images.
 */
export const markHtml = `<img src="cid:${CONTENT_ID}" width="${MARK_SIZE_PX}" height="${MARK_SIZE_PX}" alt="" style="display:block;width:${MARK_SIZE_PX}px;height:${MARK_SIZE_PX}px;border:0">`

/** The part of an email that its HTML refers to. */
export const markAttachment = {
  filename: 'belfry.png',
  cid: CONTENT_ID,
  content: Buffer.from(MARK_PNG_BASE64, 'base64'),
  contentType: 'image/png',
  contentDisposition: 'inline',
} as const

/** For previews in a browser, which has no attachments. */
export const embedMark = (html: string) =>
  html.replaceAll(`cid:${CONTENT_ID}`, `data:image/png;base64,${MARK_PNG_BASE64}`)
