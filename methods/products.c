/* Derivative products at one point, see products.h. */
#include "products.h"

struct sens_products {
    const struct sens_problem *pb;
    enum sens_product product;
    struct sens_at at;
    size_t vectors, columns; /* multiplied through structure */
};

sens_status sens_products_create(struct sens_ctx *ctx, const struct sens_problem *pb,
                                 enum sens_product product, size_t vectors, struct sens_products **products)
{
    struct sens_products *made = SENS_NEW(ctx, struct sens_products, 1);
    if (!made) return SENS_NO_MEMORY;
    (void)vectors;
    *made = (struct sens_products){.pb = pb, .product = product};
    *products = made;
    return SENS_OK;
}

void sens_products_at(struct sens_products *products, struct sens_at at)
{
    products->at = at;
}

void sens_products_multiply(struct sens_products *products, size_t L, const sens_real *W, sens_real *OUT)
{
    const struct sens_problem *pb = products->pb;
    (products->product == SENS_VJP ? pb->type->vjp : pb->type->jvp)(pb, products->at, L, W, OUT);
}

void sens_products_add_columns(struct sens_products *products, size_t k0, size_t L, sens_real *OUT)
{
    products->pb->type->jvp_p_cols(products->pb, products->at, k0, L, OUT);
}

void sens_products_count(struct sens_products *products, struct sens_work *work)
{
    *(products->product == SENS_VJP ? &work->vjp : &work->jvp) += products->vectors;
    work->jvp_p += products->columns;
    products->vectors = products->columns = 0;
}
