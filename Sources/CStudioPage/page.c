#include "studio_page.h"

// Clang has supported `#embed` since version 19; it is part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char studio_css[] = {
#embed "page/studio.css"
};
static const unsigned char photos_css[] = {
#embed "page/photos.css"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char app_js[] = {
#embed "page/app.js"
};
static const unsigned char socket_js[] = {
#embed "page/socket.js"
};
static const unsigned char state_js[] = {
#embed "page/state.js"
};
static const unsigned char controls_js[] = {
#embed "page/controls.js"
};
static const unsigned char live_js[] = {
#embed "page/live.js"
};
static const unsigned char depth_js[] = {
#embed "page/depth.js"
};
static const unsigned char depth_read_js[] = {
#embed "page/depth-read.js"
};
static const unsigned char depth_flat_js[] = {
#embed "page/depth-flat.js"
};
static const unsigned char depth_state_js[] = {
#embed "page/depth-state.js"
};
static const unsigned char cloud_js[] = {
#embed "page/cloud.js"
};
static const unsigned char cloud_points_js[] = {
#embed "page/cloud-points.js"
};
static const unsigned char palette_js[] = {
#embed "page/palette.js"
};
static const unsigned char photos_js[] = {
#embed "page/photos.js"
};
static const unsigned char video_js[] = {
#embed "page/video.js"
};
static const unsigned char video_edit_js[] = {
#embed "page/video-edit.js"
};
static const unsigned char video_player_js[] = {
#embed "page/video-player.js"
};
static const unsigned char video_state_js[] = {
#embed "page/video-state.js"
};
static const unsigned char filmstrip_js[] = {
#embed "page/filmstrip.js"
};
static const unsigned char exports_js[] = {
#embed "page/exports.js"
};
static const unsigned char video_css[] = {
#embed "page/video.css"
};
static const unsigned char looks_js[] = {
#embed "page/looks.js"
};
static const unsigned char photos_state_js[] = {
#embed "page/photos-state.js"
};
static const unsigned char photos_stage_js[] = {
#embed "page/photos-stage.js"
};
static const unsigned char photos_pointer_js[] = {
#embed "page/photos-pointer.js"
};
static const unsigned char photos_background_js[] = {
#embed "page/photos-background.js"
};
static const unsigned char photos_people_js[] = {
#embed "page/photos-people.js"
};
static const unsigned char photos_brush_js[] = {
#embed "page/photos-brush.js"
};
static const unsigned char photos_place_js[] = {
#embed "page/photos-place.js"
};
static const unsigned char photos_save_js[] = {
#embed "page/photos-save.js"
};
static const unsigned char backgrounds_js[] = {
#embed "page/backgrounds.js"
};
static const unsigned char sources_js[] = {
#embed "page/sources.js"
};
static const unsigned char swipe_js[] = {
#embed "page/swipe.js"
};
static const unsigned char calls_js[] = {
#embed "page/calls.js"
};
static const unsigned char presets_js[] = {
#embed "page/presets.js"
};
static const unsigned char live_css[] = {
#embed "page/live.css"
};
static const unsigned char depth_files_js[] = {
#embed "page/depth-files.js"
};
static const unsigned char measure_js[] = {
#embed "page/measure.js"
};
static const unsigned char depth_css[] = {
#embed "page/depth.css"
};
static const unsigned char live_settings_js[] = {
#embed "page/live-settings.js"
};
static const unsigned char live_notice_js[] = {
#embed "page/live-notice.js"
};
static const unsigned char recording_js[] = {
#embed "page/recording.js"
};
static const unsigned char microphone_js[] = {
#embed "page/microphone.js"
};
static const unsigned char microphone_worklet_js[] = {
#embed "page/microphone-worklet.js"
};
static const unsigned char webcam_js[] = {
#embed "page/webcam.js"
};
static const unsigned char webcam_worker_js[] = {
#embed "page/webcam-worker.js"
};
static const unsigned char strings_en_js[] = {
#embed "page/strings.en.js"
};
static const unsigned char words_js[] = {
#embed "page/words.js"
};
static const unsigned char icons_js[] = {
#embed "page/icons.js"
};

#define FILE_AT(path, type, name) {path, type, name, sizeof name}

static const struct studio_page_file files[] = {
  FILE_AT("/", "text/html; charset=utf-8", index_html),
  FILE_AT("/studio.css", "text/css; charset=utf-8", studio_css),
  FILE_AT("/photos.css", "text/css; charset=utf-8", photos_css),
  FILE_AT("/icon.svg", "image/svg+xml", icon_svg),
  FILE_AT("/app.js", "text/javascript; charset=utf-8", app_js),
  FILE_AT("/socket.js", "text/javascript; charset=utf-8", socket_js),
  FILE_AT("/state.js", "text/javascript; charset=utf-8", state_js),
  FILE_AT("/controls.js", "text/javascript; charset=utf-8", controls_js),
  FILE_AT("/live.js", "text/javascript; charset=utf-8", live_js),
  FILE_AT("/depth.js", "text/javascript; charset=utf-8", depth_js),
  FILE_AT("/depth-read.js", "text/javascript; charset=utf-8", depth_read_js),
  FILE_AT("/depth-flat.js", "text/javascript; charset=utf-8", depth_flat_js),
  FILE_AT("/depth-state.js", "text/javascript; charset=utf-8", depth_state_js),
  FILE_AT("/cloud.js", "text/javascript; charset=utf-8", cloud_js),
  FILE_AT("/cloud-points.js", "text/javascript; charset=utf-8", cloud_points_js),
  FILE_AT("/palette.js", "text/javascript; charset=utf-8", palette_js),
  FILE_AT("/photos.js", "text/javascript; charset=utf-8", photos_js),
  FILE_AT("/video.js", "text/javascript; charset=utf-8", video_js),
  FILE_AT("/video-edit.js", "text/javascript; charset=utf-8", video_edit_js),
  FILE_AT("/video-player.js", "text/javascript; charset=utf-8", video_player_js),
  FILE_AT("/video-state.js", "text/javascript; charset=utf-8", video_state_js),
  FILE_AT("/filmstrip.js", "text/javascript; charset=utf-8", filmstrip_js),
  FILE_AT("/exports.js", "text/javascript; charset=utf-8", exports_js),
  FILE_AT("/video.css", "text/css; charset=utf-8", video_css),
  FILE_AT("/looks.js", "text/javascript; charset=utf-8", looks_js),
  FILE_AT("/photos-state.js", "text/javascript; charset=utf-8", photos_state_js),
  FILE_AT("/photos-stage.js", "text/javascript; charset=utf-8", photos_stage_js),
  FILE_AT("/photos-pointer.js", "text/javascript; charset=utf-8", photos_pointer_js),
  FILE_AT("/photos-background.js", "text/javascript; charset=utf-8", photos_background_js),
  FILE_AT("/photos-people.js", "text/javascript; charset=utf-8", photos_people_js),
  FILE_AT("/photos-brush.js", "text/javascript; charset=utf-8", photos_brush_js),
  FILE_AT("/photos-place.js", "text/javascript; charset=utf-8", photos_place_js),
  FILE_AT("/photos-save.js", "text/javascript; charset=utf-8", photos_save_js),
  FILE_AT("/backgrounds.js", "text/javascript; charset=utf-8", backgrounds_js),
  FILE_AT("/sources.js", "text/javascript; charset=utf-8", sources_js),
  FILE_AT("/swipe.js", "text/javascript; charset=utf-8", swipe_js),
  FILE_AT("/calls.js", "text/javascript; charset=utf-8", calls_js),
  FILE_AT("/presets.js", "text/javascript; charset=utf-8", presets_js),
  FILE_AT("/live.css", "text/css; charset=utf-8", live_css),
  FILE_AT("/depth-files.js", "text/javascript; charset=utf-8", depth_files_js),
  FILE_AT("/measure.js", "text/javascript; charset=utf-8", measure_js),
  FILE_AT("/depth.css", "text/css; charset=utf-8", depth_css),
  FILE_AT("/live-settings.js", "text/javascript; charset=utf-8", live_settings_js),
  FILE_AT("/live-notice.js", "text/javascript; charset=utf-8", live_notice_js),
  FILE_AT("/recording.js", "text/javascript; charset=utf-8", recording_js),
  FILE_AT("/microphone.js", "text/javascript; charset=utf-8", microphone_js),
  FILE_AT("/microphone-worklet.js", "text/javascript; charset=utf-8", microphone_worklet_js),
  FILE_AT("/webcam.js", "text/javascript; charset=utf-8", webcam_js),
  FILE_AT("/webcam-worker.js", "text/javascript; charset=utf-8", webcam_worker_js),
  FILE_AT("/strings.en.js", "text/javascript; charset=utf-8", strings_en_js),
  FILE_AT("/words.js", "text/javascript; charset=utf-8", words_js),
  FILE_AT("/icons.js", "text/javascript; charset=utf-8", icons_js),
};
const size_t studio_page_file_count = sizeof files / sizeof files[0];

const struct studio_page_file *studio_page_file_at(size_t index) {
  return index < studio_page_file_count ? &files[index] : 0;
}
