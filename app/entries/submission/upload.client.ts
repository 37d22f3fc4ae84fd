import { dropUploadOf } from '#app/core/uploads/drop-upload.client.ts'

/** Builds the request header with the submission id, which owns the uploads. */
export const ownerOf = (submission: string) => ({ 'x-entrega': submission })

/** Tells the server that an upload is not needed any more; without an answer the server's sweep removes the upload later. */
export const dropUpload = (submission: string, url: string | undefined): void => dropUploadOf(ownerOf(submission), url)
