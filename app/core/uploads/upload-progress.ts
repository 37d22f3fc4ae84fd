import type { WaitReason } from './retry-wait.ts'

/** Uploading code tells its progress by these calls; `id` names the file. */
export interface UploadProgress {
  /** The upload of the file has this URL now; undefined: it begins anew. */
  onUploadUrl(id: string, url: string | undefined): void
  /** This many bytes of the file have left this device in all; the number falls when the upload begins anew. */
  onSent(id: string, bytes: number): void
  /** The server has the whole file. */
  onReceived(id: string): void
  /** Nothing moves for this reason; undefined: files move again. */
  onWaiting(reason: WaitReason | undefined): void
}
