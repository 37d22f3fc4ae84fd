import type { WaitReason } from './retry-wait.ts'

/** Callbacks for the progress of uploads; `id` names the file. */
export interface UploadProgress {
  /** Is called with the new URL of the upload; undefined: the upload begins anew. */
  onUploadUrl(id: string, url: string | undefined): void
  /** Is called with the bytes of the file sent so far, which drop to 0 when the upload begins anew. */
  onSent(id: string, sentBytes: number): void
  /** Is called when the server has the complete file. */
  onReceived(id: string): void
  /** Is called with the reason why no file makes progress; undefined: files make progress again. */
  onWaiting(reason: WaitReason | undefined): void
}
