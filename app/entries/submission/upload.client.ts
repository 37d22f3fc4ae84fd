import { dropUploadOf } from '#app/core/uploads/drop-upload.client.ts'

/** Request header with the submission id, which owns the uploads. */
export const ownerOf = (submission: string) => ({ 'x-entrega': submission })

/** Tells the server that an upload is not needed any more. */
export const dropUpload = (submission: string, url: string | undefined): void => dropUploadOf(ownerOf(submission), url)
