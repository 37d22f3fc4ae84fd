import type { WaitReason } from './retry-wait.ts'

/** Callbacks for the progress of uploads. `id` is the file's id. */
export interface UploadProgress {
  /** Is called with the new URL of the upload, or with undefined if the upload begins anew. */
  onUploadUrl(id: string, url: string | undefined): void
  /** Is called with the number of bytes sent so far, which drops to 0 if the upload begins anew. */
  onSent(id: string, sentBytes: number): void
  /** Is called when the server has the complete file. */
  onReceived(id: string): void
  /** Is called with the reason why no file makes progress, or with undefined when files make progress again. */
  onWaiting(reason: WaitReason | undefined): void
}
