/* Removes and changes backgrounds in GIMP 2.10: a layer of its own with a layer mask, or a layer with a look. */
#include <backdrop.h>
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>
#include <string.h>

#define REMOVE "plug-in-backdrop-remove"
#define LOOK "plug-in-backdrop-look"
#define MENU "<Image>/Layer/Transparency"

/* A look of the second entry's list: its name in the library, and a background for it. */
static const struct {
  const char *name, *background, *label;
} looks[] = {
  {"backdrop", "blur", "Blurred background"},     {"backdrop", "bokeh", "Background out of focus"},
  {"portrait", NULL, "Portrait: darker, softer room"}, {"noir", NULL, "Noir: black and white"},
  {"stage", NULL, "Stage: dark, with one lamp"},
};

static void query(void) {
  static const GimpParamDef image[] = {
    {GIMP_PDB_INT32, "run-mode", "The run mode"},
    {GIMP_PDB_IMAGE, "image", "The image"},
    {GIMP_PDB_DRAWABLE, "drawable", "The layer"},
    {GIMP_PDB_STRING, "look", "The name of a look, such as portrait"},
    {GIMP_PDB_STRING, "background", "blur, bokeh, a colour or a file; empty for the look's own"},
  };
  static const GimpParamDef made[] = {{GIMP_PDB_LAYER, "layer", "The new layer"}};
  const char *author = "The Backdrop authors", *rights = "Apache-2.0", *types = "RGB*, GRAY*";
  gimp_install_procedure(REMOVE, "Copies a layer and masks everything but people",
                         "The copy has a layer mask; the layer itself stays and is hidden.", author, rights, "2026",
                         "Remove background (Backdrop)", types, GIMP_PLUGIN, 3, 1, image, made);
  gimp_install_procedure(LOOK, "Draws a layer with a look: another light, or a blurred background",
                         "The result is a new layer above.", author, rights, "2026", "Relight or blur (Backdrop)...", types,
                         GIMP_PLUGIN, 5, 1, image, made);
  gimp_plugin_menu_register(REMOVE, MENU);
  gimp_plugin_menu_register(LOOK, MENU);
}

/* Shows the library's last error in GIMP, or on standard error without a window. */
static void report(void) {
  const char *hint = bd_error_hint();
  g_message("%s%s%s%s", bd_error_message(), *hint ? " (" : "", hint, *hint ? ")" : "");
}

/* The pixels of a layer as bytes of sRGB with straight alpha, converted from its bit depth and profile. Free them with g_free(). */
static guchar *pixels_of(gint32 layer, gint width, gint height) {
  guchar *pixels = g_malloc_n((gsize)width * height, 4);
  GeglBuffer *buffer = gimp_drawable_get_buffer(layer);
  gegl_buffer_get(buffer, GEGL_RECTANGLE(0, 0, width, height), 1.0, babl_format("R'G'B'A u8"), pixels, GEGL_AUTO_ROWSTRIDE,
                  GEGL_ABYSS_NONE);
  g_object_unref(buffer);
  return pixels;
}

/* A picture (BD_RGBA) or a matte (BD_FLOAT): four bytes a pixel. */
static bd_image image_of(void *data, gint32 format, gint width, gint height) {
  return (bd_image){.size = sizeof(bd_image), .format = format, .width = width, .height = height, .planes = {data},
                    .strides = {4 * (ptrdiff_t)width}, .alpha = format == BD_RGBA ? BD_ALPHA_STRAIGHT : BD_ALPHA_OPAQUE};
}

static bd_session *session_for(gint width, gint height, const char *look, const char *background) {
  bd_option values[2];
  size_t count = 0;
  if (look && *look) values[count++] = (bd_option){"look", look};
  if (background && *background) values[count++] = (bd_option){"background", background};
  bd_session_options options = BD_SESSION_OPTIONS;
  options.width = width, options.height = height, options.is_still = 1, options.options = values, options.option_count = count;
  bd_session *session = NULL;
  if (bd_session_create(&options, &session) == BD_OK) return session;
  report();
  return NULL;
}

/* Writes opacities of 0…1 to a mask, in the precision of its image; the numbers are the mask's own, not converted as colours. */
static void fill_mask(gint32 mask, const float *opacity, gint width, gint height) {
  GeglBuffer *buffer = gimp_drawable_get_buffer(mask);
  const Babl *format = gegl_buffer_get_format(buffer);
  const char *model = strstr(babl_format_get_encoding(format), "Y'") ? "Y' float" : "Y float";
  gegl_buffer_set(buffer, GEGL_RECTANGLE(0, 0, width, height), 0, babl_format_with_space(model, babl_format_get_space(format)), opacity,
                  GEGL_AUTO_ROWSTRIDE);
  gegl_buffer_flush(buffer);
  g_object_unref(buffer);
  gimp_drawable_update(mask, 0, 0, width, height);
}

/* A copy of the layer above it, called `name`. */
static gint32 copy_above(gint32 image, gint32 layer, const char *name) {
  gint32 copy = gimp_layer_copy(layer);
  gimp_layer_add_alpha(copy);
  gimp_item_set_name(copy, name);
  gimp_image_insert_layer(image, copy, gimp_item_get_parent(layer), gimp_image_get_item_position(image, layer));
  return copy;
}

/* Adds the masked copy and returns it, or -1 after a message. */
static gint32 remove_background(gint32 image, gint32 layer) {
  gint width = gimp_drawable_width(layer), height = gimp_drawable_height(layer);
  bd_session *session = session_for(width, height, NULL, "none");
  if (!session) return -1;
  guchar *pixels = pixels_of(layer, width, height);
  float *opacity = g_malloc_n((gsize)width * height, sizeof *opacity);
  bd_image picture = image_of(pixels, BD_RGBA, width, height), matte = image_of(opacity, BD_FLOAT, width, height);
  gint32 copy = -1;
  if (bd_session_matte(session, &picture, NULL, &matte) == BD_OK) {
    gimp_image_undo_group_start(image);
    copy = copy_above(image, layer, "Subject");
    gint32 mask = gimp_layer_create_mask(copy, GIMP_ADD_MASK_WHITE);
    gimp_layer_add_mask(copy, mask);
    fill_mask(mask, opacity, width, height);
    gimp_item_set_visible(layer, FALSE);
    gimp_image_undo_group_end(image);
  } else {
    report();
  }
  bd_session_free(session);
  g_free(pixels);
  g_free(opacity);
  return copy;
}

/* Adds a layer with the look and returns it, or -1 after a message. */
static gint32 apply_look(gint32 image, gint32 layer, const char *look, const char *background) {
  gint width = gimp_drawable_width(layer), height = gimp_drawable_height(layer);
  bd_session *session = session_for(width, height, look, background);
  if (!session) return -1;
  guchar *pixels = pixels_of(layer, width, height);
  bd_image picture = image_of(pixels, BD_RGBA, width, height), result = {.size = sizeof result};
  gint32 copy = -1;
  guchar *drawn = NULL;
  if (bd_session_output(session, BD_RGBA, &result) == BD_OK) {
    drawn = g_malloc_n((gsize)width * height, 4);
    bd_image output = image_of(drawn, BD_RGBA, width, height);
    if (result.width != width || result.height != height) {
      g_message("the look needs a picture of another size (choose another look)");
    } else if (bd_session_render(session, &picture, NULL, &output) < 0) {
      report();
    } else {
      gimp_image_undo_group_start(image);
      copy = copy_above(image, layer, look);
      GeglBuffer *buffer = gimp_drawable_get_buffer(copy);
      gegl_buffer_set(buffer, GEGL_RECTANGLE(0, 0, width, height), 0, babl_format("R'G'B'A u8"), drawn, GEGL_AUTO_ROWSTRIDE);
      gegl_buffer_flush(buffer);
      g_object_unref(buffer);
      gimp_drawable_update(copy, 0, 0, width, height);
      gimp_image_undo_group_end(image);
    }
  } else {
    report();
  }
  bd_session_free(session);
  g_free(pixels);
  g_free(drawn);
  return copy;
}

/* Asks for a look; returns its index in the list, or -1. */
static gint choose(void) {
  gimp_ui_init("backdrop", FALSE);
  GtkWidget *dialog = gimp_dialog_new("Relight or blur", "backdrop", NULL, 0, gimp_standard_help_func, LOOK, "_Cancel", GTK_RESPONSE_CANCEL,
                                      "_OK", GTK_RESPONSE_OK, NULL);
  GtkWidget *list = gtk_combo_box_text_new();
  for (gsize i = 0; i < G_N_ELEMENTS(looks); i++) gtk_combo_box_text_append_text(GTK_COMBO_BOX_TEXT(list), looks[i].label);
  gtk_combo_box_set_active(GTK_COMBO_BOX(list), 0);
  gtk_container_set_border_width(GTK_CONTAINER(list), 12);
  gtk_box_pack_start(GTK_BOX(gtk_dialog_get_content_area(GTK_DIALOG(dialog))), list, FALSE, FALSE, 12);
  gtk_widget_show_all(dialog);
  gint chosen = gimp_dialog_run(GIMP_DIALOG(dialog)) == GTK_RESPONSE_OK ? gtk_combo_box_get_active(GTK_COMBO_BOX(list)) : -1;
  gtk_widget_destroy(dialog);
  return chosen;
}

static void run(const gchar *name, gint count, const GimpParam *given, gint *result_count, GimpParam **results) {
  static GimpParam values[2];
  gboolean is_look = strcmp(name, LOOK) == 0, is_interactive = given[0].data.d_int32 == GIMP_RUN_INTERACTIVE;
  gint32 image = given[1].data.d_image, layer = given[2].data.d_drawable, made = -1;
  GimpPDBStatusType status = GIMP_PDB_SUCCESS;
  *result_count = 2, *results = values;
  values[0] = (GimpParam){GIMP_PDB_STATUS, {.d_status = GIMP_PDB_EXECUTION_ERROR}};
  values[1] = (GimpParam){GIMP_PDB_LAYER, {.d_layer = -1}};
  gegl_init(NULL, NULL);
  if (!gimp_item_is_layer(layer)) {
    g_message("this is not a layer (choose one)");
    return;
  }
  if (!is_look) {
    made = remove_background(image, layer);
  } else if (is_interactive) {
    gint chosen = choose();
    if (chosen < 0) status = GIMP_PDB_CANCEL;
    else made = apply_look(image, layer, looks[chosen].name, looks[chosen].background);
  } else if (count == 5) {
    made = apply_look(image, layer, given[3].data.d_string, given[4].data.d_string);
  }
  if (made < 0 && status != GIMP_PDB_CANCEL) return;
  values[0].data.d_status = status;
  values[1].data.d_layer = made;
  gimp_displays_flush();
}

const GimpPlugInInfo PLUG_IN_INFO = {.query_proc = query, .run_proc = run};

MAIN()
